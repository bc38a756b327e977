-- Slang files by their extension; Neovim knows `.slang` as S-Lang otherwise.
vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile" }, {
  pattern = { "*.slang", "*.slangh" },
  callback = function()
    vim.bo.filetype = "slang"
  end,
})
