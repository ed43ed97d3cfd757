-- A session of neovim with `hlc lsp`: what a person does who types. The environment has HLC and WORK.
local work, hlc = vim.env.WORK, vim.env.HLC
local checks = 0
local function check(condition, what)
  checks = checks + 1
  if not condition then
    io.stderr:write("FAILED: " .. what .. "\n")
    vim.cmd("cquit 1")
  end
end
local function wait(what, condition)
  check(vim.wait(60000, condition, 20), what)
end

local function session()
  vim.cmd("edit " .. work .. "/edges.hl")
  local buffer = vim.api.nvim_get_current_buf()
  check(vim.bo.filetype == "hl", "the file type is " .. vim.bo.filetype)

  -- Open.
  local client = vim.lsp.start_client({ name = "hlc", cmd = { hlc, "lsp" }, root_dir = work })
  check(client, "the server starts")
  vim.lsp.buf_attach_client(buffer, client)
  wait("the server is attached", function() return vim.lsp.buf_is_attached(buffer, client) and vim.lsp.get_client_by_id(client).initialized end)
  local diagnostics = function() return vim.diagnostic.get(buffer) end
  local function search(text)
    vim.fn.cursor(1, 1)
    check(vim.fn.search("\\V" .. text, "c") > 0, "the text has " .. text)
  end
  local function ask(method, params)
    local answers = vim.lsp.buf_request_sync(buffer, method, params, 60000)
    check(answers and answers[client], method .. " is answered")
    check(not answers[client].err, method .. ": " .. vim.inspect(answers[client].err))
    return answers[client].result
  end

  -- Type: an error appears, and goes.
  search("/ 9")
  vim.cmd("normal! Anothing")
  wait("errors appear", function() return #diagnostics() > 0 end)
  check(diagnostics()[1].source == "hlc" and diagnostics()[1].code:match("^E%d+$"), "an error of hlc's")
  vim.cmd("undo")
  wait("errors go", function() return #diagnostics() == 0 end)

  -- Hover.
  search("wide(x, y) =")
  local hover = ask("textDocument/hover", vim.lsp.util.make_position_params())
  check(hover.contents.value:find("fun wide(x, y): i32", 1, true), "hover says the type")

  -- Completion of a loop's name.
  search("vectorize(out.x, 16)")
  vim.cmd("normal! cc    vectorize(out.")
  vim.fn.cursor(vim.fn.line("."), vim.fn.col("$"))
  local params = vim.lsp.util.make_position_params()
  params.position.character = #vim.fn.getline(".")
  local words = {}
  for _, item in ipairs(ask("textDocument/completion", params).items) do
    words[item.label] = true
  end
  check(words["out.x"] and words["out.y"], "loops are completed: " .. vim.inspect(vim.tbl_keys(words)))
  vim.cmd("undo")

  -- Rename.
  search("wide(x, y) =")
  vim.lsp.buf.rename("broad")
  wait("the func is renamed", function()
    local text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n")
    return not text:find("wide") and text:find("compute%-at%(broad, out.y_p%)")
  end)
  wait("the renamed text has no errors", function() return #diagnostics() == 0 end)

  -- Format.
  search("fun broad")
  vim.cmd("normal! I     ")
  if vim.lsp.buf.format then
    vim.lsp.buf.format({ timeout_ms = 60000 })
  else
    vim.lsp.buf.formatting_sync({}, 60000)
  end
  check(vim.fn.getline("."):find("^    fun broad"), "the text is laid out: " .. vim.fn.getline("."))

  -- Definition.
  search("compute-at(broad")
  vim.cmd("normal! f(l")
  vim.lsp.buf.definition()
  wait("the cursor goes to the definition", function() return vim.fn.getline("."):find("fun broad") end)

  -- Code action.
  search("vectorize(broad.x")
  vim.cmd("normal! f.ax")
  wait("the misspelt loop is an error", function() return #diagnostics() > 0 end)
  check(diagnostics()[1].code == "E0503", "a loop that does not exist")
  local range = vim.lsp.util.make_range_params()
  range.context = { diagnostics = {} }
  local action = ask("textDocument/codeAction", range)[1]
  check(action.title == "Write `broad.s0.x`", "the action is " .. action.title)
  vim.lsp.util.apply_workspace_edit(action.edit, "utf-16")
  wait("the loop is mended", function() return vim.fn.search("\\Vvectorize(broad.s0.x", "c") > 0 end)
  wait("the mended text has no errors", function() return #diagnostics() == 0 end)

  -- Close.
  vim.cmd("bdelete!")
  vim.lsp.stop_client(client)
  wait("the server ends", function() return vim.lsp.get_client_by_id(client) == nil end)
  io.stdout:write(checks .. " checks\n")
  vim.cmd("qall!")
end

local good, why = pcall(session)
if not good then
  io.stderr:write("FAILED: " .. tostring(why) .. "\n")
  vim.cmd("cquit 1")
end
