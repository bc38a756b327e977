-- slang-analyzer for Neovim 0.7 and later: attaches the server to Slang buffers and adds the derivative preview.

local M = {}

M.options = {
  -- Command of the server.
  cmd = { "slang-analyzer", "lsp" },
  -- Files whose folder is the root of a project.
  root_markers = { ".git", "slangdconfig.json" },
  -- As in VS Code: slang.predefinedMacros, slang.additionalSearchPaths, ….
  settings = {},
  -- Called with (client, bufnr) when the server is attached.
  on_attach = nil,
}

local clients = {} -- root folder -> client id

local function root_of(path)
  local folder = vim.fn.fnamemodify(path, ":p:h")
  for _, marker in ipairs(M.options.root_markers) do
    local found = vim.fn.findfile(marker, folder .. ";")
    if found == "" then
      found = vim.fn.finddir(marker, folder .. ";")
    end
    if found ~= "" then
      return vim.fn.fnamemodify(found, ":p:h:s?/%.git$??")
    end
  end
  return folder
end

-- Attaches the buffer to the server of its project, starting it if needed; gives the client's id.
function M.attach(bufnr)
  bufnr = bufnr or vim.api.nvim_get_current_buf()
  local root = root_of(vim.api.nvim_buf_get_name(bufnr))
  if not clients[root] then
    clients[root] = vim.lsp.start_client({
      name = "slang-analyzer",
      cmd = M.options.cmd,
      root_dir = root,
      workspace_folders = { { uri = vim.uri_from_fname(root), name = root } },
      settings = M.options.settings,
      on_attach = M.options.on_attach,
      on_exit = function()
        clients[root] = nil
      end,
    })
  end
  if clients[root] then
    vim.lsp.buf_attach_client(bufnr, clients[root])
  end
  return clients[root]
end

local previews = {} -- preview buffer -> { source, position }

local function show(preview, text)
  vim.api.nvim_buf_set_option(preview, "modifiable", true)
  vim.api.nvim_buf_set_lines(preview, 0, -1, false, vim.split(text, "\n"))
  vim.api.nvim_buf_set_option(preview, "modifiable", false)
end

local function refresh(preview)
  local state = previews[preview]
  local params = {
    textDocument = { uri = vim.uri_from_bufnr(state.source) },
    position = state.position,
    ["function"] = state.name,
    operator = state.operator,
    target = "slang",
  }
  vim.lsp.buf_request(state.source, "slang-analyzer/derivativePreview", params, function(err, result)
    if not vim.api.nvim_buf_is_valid(preview) then
      return
    end
    if err then
      show(preview, "// " .. err.message)
    elseif result then
      state.name = result["function"]
      show(preview, result.text)
    end
  end)
end

-- Opens the derivative of the function at the cursor in a split that follows edits. `operator` is "backward" (default)
-- or "forward". A code lens names a function of its own. Gives the preview's buffer.
function M.preview(operator, named)
  local source = named and vim.uri_to_bufnr(named.uri) or vim.api.nvim_get_current_buf()
  local position = vim.lsp.util.make_position_params().position
  local window = vim.api.nvim_get_current_win()
  local preview = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_option(preview, "bufhidden", "wipe")
  vim.api.nvim_buf_set_option(preview, "filetype", "slang")
  previews[preview] = {
    source = source,
    position = position,
    operator = operator or "backward",
    name = named and named["function"],
  }
  vim.cmd("vertical sbuffer " .. preview)
  vim.api.nvim_set_current_win(window)
  refresh(preview)
  vim.api.nvim_buf_attach(source, false, {
    on_lines = function()
      if not vim.api.nvim_buf_is_valid(preview) then
        previews[preview] = nil
        return true -- detach
      end
      vim.schedule(function()
        if previews[preview] then
          refresh(preview)
        end
      end)
    end,
  })
  return preview
end

-- Asks about the function that a code lens names, or about the one at the cursor; `answer` gets what the server says.
local function ask(method, named, answer, more)
  local params = vim.tbl_extend("error", vim.lsp.util.make_position_params(), more or {})
  if named then
    params.textDocument = { uri = named.uri }
    params["function"] = named["function"]
  end
  vim.lsp.buf_request(0, method, params, function(err, result)
    if err then
      vim.notify(err.message, vim.log.levels.ERROR)
    elseif result then
      answer(result)
    else
      vim.notify("Put the cursor in a function.")
    end
  end)
end

-- Compares the derivative of a function with differences and says what came of it.
function M.check_gradient(named)
  local levels = { ok = vim.log.levels.INFO, wrong = vim.log.levels.ERROR, notChecked = vim.log.levels.WARN }
  local verdicts = { ok = "right", wrong = "wrong", notChecked = "not checked" }
  ask("slang-analyzer/gradientCheck", named, function(result)
    local head = "The derivative of " .. result["function"] .. " is " .. verdicts[result.verdict] .. ":"
    vim.notify(head .. "\n  " .. table.concat(result.lines, "\n  "), levels[result.verdict])
  end)
end

local values = vim.api.nvim_create_namespace("slang-analyzer-values")

-- Writes at the end of each line of a function what it makes and by how much the result changes with it: at the numbers
-- `at`, or where the value is finite; of what runs several times number `iteration`, from 0, or the last.
function M.values(at, iteration)
  ask("slang-analyzer/values", nil, function(result)
    local buffer = vim.api.nvim_get_current_buf()
    vim.api.nvim_buf_clear_namespace(buffer, values, 0, -1)
    local inputs = {}
    for _, input in ipairs(result.inputs) do
      table.insert(inputs, input.name .. " = " .. tostring(input.value))
    end
    for _, line in ipairs(result.lines) do
      if line.uri == vim.uri_from_bufnr(buffer) then
        local text = { { "  " .. line.text, "Comment" } }
        vim.api.nvim_buf_set_extmark(buffer, values, line.range.start.line, 0, { virt_text = text })
      end
    end
    local head = result["function"] .. " at " .. table.concat(inputs, ", ")
    vim.notify(table.concat(vim.list_extend({ head }, result.problems), "\n"))
    vim.api.nvim_buf_attach(buffer, false, {
      on_lines = function()
        vim.api.nvim_buf_clear_namespace(buffer, values, 0, -1)
        return true -- detach
      end,
    })
  end, { at = at, iteration = iteration })
end

local costs = vim.api.nvim_create_namespace("slang-analyzer-cost")

-- Writes at the end of each line what it costs, forward and in reverse; without a function at the cursor, nothing.
function M.cost(named)
  ask("slang-analyzer/cost", named, function(result)
    local buffer = vim.api.nvim_get_current_buf()
    vim.api.nvim_buf_clear_namespace(buffer, costs, 0, -1)
    local lines = { result["function"] .. ": " .. result.summary .. " (estimate)" }
    for _, line in ipairs(result.lines) do
      if line.uri == vim.uri_from_bufnr(buffer) then
        local text = string.format("  %d -> %d", line.forward, line.reverse)
        if line.bytes > 0 then
          text = string.format("%s  %d B", text, line.bytes)
        end
        vim.api.nvim_buf_set_extmark(buffer, costs, line.range.start.line, 0, { virt_text = { { text, "Comment" } } })
      end
    end
    for _, alternative in ipairs(result.alternatives) do
      table.insert(lines, "  with " .. alternative.what .. ": " .. alternative.change)
    end
    vim.list_extend(lines, result.problems)
    vim.notify(table.concat(lines, "\n"))
    vim.api.nvim_buf_attach(buffer, false, {
      on_lines = function()
        vim.api.nvim_buf_clear_namespace(buffer, costs, 0, -1)
        return true -- detach
      end,
    })
  end)
end

local non_finite = vim.api.nvim_create_namespace("slang-analyzer-not-finite")

-- Marks the operations that make an infinity or NaN, in a function or only in its derivatives.
function M.find_non_finite(named)
  ask("slang-analyzer/nonFinite", named, function(result)
    vim.diagnostic.reset(non_finite)
    local by_buffer = {}
    for _, origin in ipairs(result.origins) do
      local buffer = origin.uri and vim.uri_to_bufnr(origin.uri) or vim.api.nvim_get_current_buf()
      local start = origin.range and origin.range.start or { line = 0, character = 0 }
      by_buffer[buffer] = by_buffer[buffer] or {}
      table.insert(by_buffer[buffer], {
        lnum = start.line,
        col = start.character,
        severity = vim.diagnostic.severity.WARN,
        message = origin.message,
        source = "slang-analyzer",
      })
    end
    for buffer, diagnostics in pairs(by_buffer) do
      vim.diagnostic.set(non_finite, buffer, diagnostics)
    end
    local head = string.format("%s: %d inputs looked at", result["function"], result.points)
    local lines = { head }
    for _, origin in ipairs(result.origins) do
      table.insert(lines, "  " .. origin.message)
    end
    vim.list_extend(lines, result.problems)
    vim.notify(table.concat(lines, "\n"), #result.origins > 0 and vim.log.levels.WARN or vim.log.levels.INFO)
  end)
end

-- Puts what reverse mode of a function keeps between its sweeps into the quickfix list.
function M.residuals(named)
  ask("slang-analyzer/residualPlan", named, function(plan)
    local items = {}
    for _, problem in ipairs(plan.problems) do
      table.insert(items, { text = problem })
    end
    for _, item in ipairs(plan.items) do
      local what = (item.name or "a value") .. ": " .. item.type
      local text = string.format("%s is %s, %d bytes: %s", what, item.decision, item.totalBytes, item.reason)
      local place = item.range and item.range.start or { line = 0, character = 0 }
      local file = item.uri and vim.uri_to_fname(item.uri) or nil
      table.insert(items, { filename = file, lnum = place.line + 1, col = place.character + 1, text = text })
    end
    local title = string.format("Reverse mode of %s keeps %d bytes", plan["function"], plan.bytes)
    vim.fn.setqflist({}, " ", { title = title, items = items })
    vim.cmd("copen")
  end)
end

-- Shows what a pass ("lower" without one) leaves of the function at the cursor, as `slang-analyzer ir` prints it, in a
-- split. `done` gets the buffer.
function M.ir(after, done)
  local params = vim.lsp.util.make_position_params()
  params.after = after
  vim.lsp.buf_request(0, "slang-analyzer/ir", params, function(err, result)
    if err then
      vim.notify(err.message, vim.log.levels.ERROR)
    elseif not result then
      vim.notify("Put the cursor in a function.")
    else
      local buffer = vim.api.nvim_create_buf(false, true)
      vim.api.nvim_buf_set_option(buffer, "bufhidden", "wipe")
      show(buffer, result.text)
      vim.cmd("vertical sbuffer " .. buffer)
      if done then
        done(buffer)
      end
    end
  end)
end

-- Fills a buffer `slang-prelude://…` with the core library's text and attaches it to a running server, so that hover and
-- go-to work there, too.
local function read_prelude(bufnr, uri)
  local _, id = next(clients)
  local client = id and vim.lsp.get_client_by_id(id)
  if not client then
    return
  end
  local response = client.request_sync("workspace/textDocumentContent", { uri = uri }, 5000, bufnr)
  local text = response and response.result and response.result.text
  if not text then
    return
  end
  vim.api.nvim_buf_set_option(bufnr, "buftype", "nofile")
  vim.api.nvim_buf_set_option(bufnr, "swapfile", false)
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, vim.split(text:gsub("\n$", ""), "\n"))
  vim.api.nvim_buf_set_option(bufnr, "modified", false)
  vim.api.nvim_buf_set_option(bufnr, "modifiable", false)
  vim.api.nvim_buf_set_option(bufnr, "filetype", "slang")
  vim.lsp.buf_attach_client(bufnr, id)
end

function M.setup(options)
  M.options = vim.tbl_deep_extend("force", M.options, options or {})
  vim.api.nvim_create_autocmd("FileType", {
    pattern = "slang",
    callback = function(event)
      -- The preview's own buffer has no file and needs no server.
      if vim.api.nvim_buf_get_option(event.buf, "buftype") == "" then
        M.attach(event.buf)
      end
    end,
  })
  vim.api.nvim_create_autocmd("BufReadCmd", {
    pattern = "slang-prelude://*",
    callback = function(event)
      read_prelude(event.buf, event.match)
    end,
  })
  vim.lsp.commands["slang-analyzer.previewDerivative"] = function(command)
    return M.preview(command.arguments[1].operator, command.arguments[1])
  end
  vim.lsp.commands["slang-analyzer.checkGradient"] = function(command)
    M.check_gradient(command.arguments[1])
  end
  vim.api.nvim_create_user_command("SlangValues", function(command)
    local at = vim.tbl_map(tonumber, vim.split(command.args, "[, ]+", { trimempty = true }))
    M.values(#at > 0 and at or nil)
  end, { nargs = "*" })
  vim.lsp.commands["slang-analyzer.showCost"] = function(command)
    M.cost(command.arguments[1])
  end
  vim.api.nvim_create_user_command("SlangCost", function()
    M.cost()
  end, {})
  vim.lsp.commands["slang-analyzer.findNonFinite"] = function(command)
    M.find_non_finite(command.arguments[1])
  end
  vim.api.nvim_create_user_command("SlangFindNaN", function()
    M.find_non_finite()
  end, {})
  vim.api.nvim_create_user_command("SlangCheckGradient", function()
    M.check_gradient()
  end, {})
  vim.api.nvim_create_user_command("SlangResiduals", function()
    M.residuals()
  end, {})
  vim.api.nvim_create_user_command("SlangIr", function(command)
    M.ir(command.args ~= "" and command.args or nil)
  end, { nargs = "?" })
  vim.api.nvim_create_user_command("SlangPreviewDerivative", function(command)
    M.preview(command.args ~= "" and command.args or nil)
  end, {
    nargs = "?",
    complete = function()
      return { "backward", "forward" }
    end,
  })
end

return M
