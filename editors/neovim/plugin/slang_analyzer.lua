-- Starts the server for Slang buffers. Set `vim.g.slang_analyzer_setup = false` before to call `setup` yourself.
if vim.g.slang_analyzer_setup ~= false then
  require("slang_analyzer").setup()
end
