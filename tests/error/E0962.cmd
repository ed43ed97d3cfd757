$ echo '{"method":"initialize"}' | hlc lsp
hlc: error[E0962]: standard input is no client of the language server protocol: a message begins with the line Content-Length: and its length
      = help: an editor starts `hlc lsp`: docs/editors.md says how
$ printf 'Content-Length: 46\r\n\r\n{"jsonrpc":"2.0","id":1,"method":"initialize"}Content-Length: 44\r\n\r\n{"jsonrpc":"2.0","id":2,"method":"shutdown"}Content-Length: 33\r\n\r\n{"jsonrpc":"2.0","method":"exit"}' | hlc lsp
