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
-- or "forward". Gives the preview's buffer.
function M.preview(operator)
  local source = vim.api.nvim_get_current_buf()
  local position = vim.lsp.util.make_position_params().position
  local window = vim.api.nvim_get_current_win()
  local preview = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_option(preview, "bufhidden", "wipe")
  vim.api.nvim_buf_set_option(preview, "filetype", "slang")
  previews[preview] = { source = source, position = position, operator = operator or "backward" }
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
