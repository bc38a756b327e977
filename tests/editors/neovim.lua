-- Drives a real Neovim: a missing `no_diff` is reported while typing, hover shows the derivative's signature, and the
-- preview follows edits. Run by `nvim --headless --clean`; SLANG_ANALYZER names the server, ROOT the repository.

local root = os.getenv("ROOT")
local failures = 0

local function check(condition, what, got)
  if condition then
    print("ok: " .. what .. "\n")
  else
    failures = failures + 1
    print("FAILED: " .. what .. (got and ("\n  got: " .. vim.inspect(got)) or "") .. "\n")
  end
end

local function finish()
  vim.cmd(failures == 0 and "qall!" or "cquit!")
end

local function run()
  vim.opt.runtimepath:append(root .. "/editors/neovim")
  vim.g.slang_analyzer_setup = false
  require("slang_analyzer").setup({ cmd = { os.getenv("SLANG_ANALYZER"), "lsp" } })
  vim.cmd("runtime! ftdetect/slang.lua")

  local folder = vim.fn.tempname()
  vim.fn.mkdir(folder, "p")
  local file = folder .. "/soft_shadow.slang"
  vim.fn.writefile(vim.fn.readfile(root .. "/fixtures/samples/soft_shadow.slang"), file)
  vim.cmd("edit " .. file)

  local attached = vim.wait(20000, function()
    local clients = vim.lsp.buf_get_clients(0)
    for _, client in pairs(clients) do
      if client.initialized then
        return true
      end
    end
  end, 20)
  check(attached, "the server is attached to the buffer")

  local function line_of(text)
    for number, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
      local column = line:find(text, 1, true)
      if column then
        return number, column - 1
      end
    end
  end

  check(#vim.diagnostic.get(0) == 0, "the sample has no diagnostics", vim.diagnostic.get(0))

  -- Take `no_diff` away, as a user would.
  local number, column = line_of("no_diff falloff")
  vim.api.nvim_win_set_cursor(0, { number, column })
  vim.cmd("normal! dw")
  vim.wait(20000, function()
    return #vim.diagnostic.get(0) > 0
  end, 10)
  local diagnostics = vim.diagnostic.get(0)
  check(#diagnostics == 1, "one diagnostic for the missing no_diff", diagnostics)
  local diagnostic = diagnostics[1] or { message = "" }
  check(diagnostic.lnum == number - 1, "it is on the call's line", diagnostic.lnum)
  check(diagnostic.message:find("falloff", 1, true) ~= nil, "it names the callee", diagnostic.message)
  local lsp = diagnostic.user_data and diagnostic.user_data.lsp or {}
  check(tostring(lsp.code):find("41022") ~= nil, "it has Slang's number", lsp.code)
  check(#(lsp.relatedInformation or {}) >= 2, "it comes with the chain of causes", lsp.relatedInformation)

  -- And put it back.
  vim.cmd("normal! ino_diff ")
  local gone = vim.wait(20000, function()
    return #vim.diagnostic.get(0) == 0
  end, 10)
  check(gone, "the diagnostic goes away with the repair", vim.diagnostic.get(0))

  -- Hover over bwd_diff(shadow) in a real floating window.
  number, column = line_of("bwd_diff(shadow)")
  vim.api.nvim_win_set_cursor(0, { number, column + 2 })
  vim.lsp.buf.hover()
  local function floating_text()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(window).relative ~= "" then
        return table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), "\n")
      end
    end
  end
  vim.wait(20000, function()
    return floating_text() ~= nil
  end, 10)
  local hover = floating_text() or ""
  for _, words in ipairs({ "inout DifferentialPair<float> distance", "DifferentialPair<float> radius", "density" }) do
    check(hover:find(words, 1, true) ~= nil, "hover shows " .. words, hover)
  end

  -- The preview, and that it follows an edit.
  number = line_of("float fog")
  vim.api.nvim_win_set_cursor(0, { number, 8 })
  local preview = require("slang_analyzer").preview("backward")
  local function preview_text()
    return table.concat(vim.api.nvim_buf_get_lines(preview, 0, -1, false), "\n")
  end
  vim.wait(20000, function()
    return preview_text():find("exp", 1, true) ~= nil
  end, 10)
  check(preview_text():find("exp", 1, true) ~= nil, "the preview shows derivative code", preview_text())
  vim.api.nvim_buf_set_lines(0, number - 1, number, true, { "    float fog = cos(-density * distance);" })
  vim.wait(20000, function()
    return preview_text():find("sin", 1, true) ~= nil
  end, 10)
  check(preview_text():find("sin", 1, true) ~= nil, "the preview follows the edit", preview_text())

  -- A lens previews the function that it stands above, wherever the cursor is.
  local lenses = vim.lsp.buf_request_sync(0, "textDocument/codeLens", { textDocument = { uri = vim.uri_from_bufnr(0) } }, 20000)
  local _, lens_answer = next(lenses or {})
  local lens
  for _, candidate in ipairs(lens_answer and lens_answer.result or {}) do
    -- What says the cost has its command when it is resolved.
    if candidate.command and candidate.command.command == "slang-analyzer.previewDerivative" then
      lens = lens or candidate
    end
  end
  check(lens ~= nil, "there is a lens", lenses)
  local cursor = vim.api.nvim_win_get_cursor(0)
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  local of_lens = vim.lsp.commands["slang-analyzer.previewDerivative"](lens.command)
  local function lens_text()
    return table.concat(vim.api.nvim_buf_get_lines(of_lens, 0, -1, false), "\n")
  end
  vim.wait(20000, function()
    return lens_text():find("DifferentialPair", 1, true) ~= nil
  end, 10)
  check(lens_text():find("DifferentialPair", 1, true) ~= nil, "the lens shows its derivative", lens_text())
  vim.api.nvim_win_set_cursor(0, cursor)

  -- The gradient checker and the residuals of the function at the cursor.
  local told
  local notify = vim.notify
  vim.notify = function(text)
    told = text
  end
  require("slang_analyzer").check_gradient()
  vim.wait(20000, function()
    return told ~= nil
  end, 10)
  vim.notify = notify
  check(told and told:find("The derivative of shadow is right", 1, true) ~= nil, "the gradient is checked", told)

  -- What a function costs, and what its lines make, at the ends of the lines; where a NaN comes from.
  local function notes(namespace)
    local id = vim.api.nvim_get_namespaces()[namespace]
    local texts = {}
    for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, id, 0, -1, { details = true })) do
      table.insert(texts, mark[4].virt_text[1][1])
    end
    return table.concat(texts, "\n")
  end
  require("slang_analyzer").cost()
  vim.wait(20000, function()
    return notes("slang-analyzer-cost") ~= ""
  end, 10)
  check(notes("slang-analyzer-cost"):find("%d+ %-> %d+") ~= nil, "each line has its cost", notes("slang-analyzer-cost"))
  require("slang_analyzer").values({ 1, 2, 0 })
  vim.wait(20000, function()
    return notes("slang-analyzer-values") ~= ""
  end, 10)
  -- Without density there is no fog: cos(0).
  check(notes("slang-analyzer-values"):find("1, d 0.5", 1, true) ~= nil, "lines have values", notes("slang-analyzer-values"))
  told = nil
  vim.notify = function(text)
    told = text
  end
  require("slang_analyzer").find_non_finite()
  vim.wait(20000, function()
    return told ~= nil
  end, 10)
  vim.notify = notify
  check(told and told:find("shadow: ", 1, true) == 1, "it is looked for NaN", told)

  require("slang_analyzer").residuals()
  local function quickfix_title()
    return vim.fn.getqflist({ title = 0 }).title
  end
  vim.wait(20000, function()
    return quickfix_title():find("shadow", 1, true) ~= nil
  end, 10)
  check(quickfix_title():find("Reverse mode of shadow keeps", 1, true) ~= nil, "residuals are listed", quickfix_title())
  vim.cmd("cclose")

  -- The intermediate representation of that function, in a split of its own.
  local shown
  require("slang_analyzer").ir("differentiate", function(buffer)
    shown = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n")
    vim.api.nvim_buf_delete(buffer, { force = true })
  end)
  vim.wait(20000, function()
    return shown ~= nil
  end, 10)
  check(shown and shown:find("func @shadow(", 1, true) ~= nil, "the intermediate representation is shown", shown)

  -- The core library is a read-only document in which hover works.
  number, column = line_of("cos(-density")
  vim.api.nvim_win_set_cursor(0, { number or 1, column or 0 })
  vim.lsp.buf.definition()
  vim.wait(20000, function()
    return vim.api.nvim_buf_get_name(0):find("slang-prelude", 1, true) ~= nil
  end, 10)
  check(vim.api.nvim_buf_get_name(0):find("slang-prelude://", 1, true) == 1, "go-to opens the library", vim.fn.bufname())
  check(vim.api.nvim_get_current_line():find("cos", 1, true) ~= nil, "at the declaration", vim.api.nvim_get_current_line())
  check(not vim.bo.modifiable, "the library is read-only")
  local answers = vim.lsp.buf_request_sync(0, "textDocument/hover", vim.lsp.util.make_position_params(), 20000)
  local _, answer = next(answers or {})
  check(answer and answer.result ~= nil, "hover works inside the library", answers)
end

local fine, problem = pcall(run)
check(fine, "the test runs to its end", problem)
finish()
