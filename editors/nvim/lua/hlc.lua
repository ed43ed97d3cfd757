-- hlc.lua -- `hlc lsp` in neovim 0.7 and later. In init.lua:
--
--     vim.opt.runtimepath:append("/path/to/hlc/editors/vim")
--     vim.opt.runtimepath:append("/path/to/hlc/editors/nvim")
--     require("hlc").setup({ cmd = { "hlc", "lsp" } })
local M = {}

-- One server for all texts of a neovim.
local client

local function attach(buffer, options)
  if not client or not vim.lsp.get_client_by_id(client) then
    client = vim.lsp.start_client({
      name = "hlc",
      cmd = options.cmd or { "hlc", "lsp" },
      root_dir = vim.fn.getcwd(),
      on_attach = options.on_attach,
      capabilities = options.capabilities,
    })
  end
  if client then
    vim.lsp.buf_attach_client(buffer, client)
    vim.api.nvim_buf_set_option(buffer, "omnifunc", "v:lua.vim.lsp.omnifunc")
  end
end

function M.setup(options)
  options = options or {}
  vim.api.nvim_create_autocmd("FileType", {
    pattern = "hl",
    callback = function(event)
      attach(event.buf, options)
    end,
  })
end

-- The id of the server; nil before a text is opened.
function M.client()
  return client
end

return M
