// prepare.js -- copies the grammar, which editors/textmate has, into the package before it is built.
const fs = require("fs"), path = require("path");
const grammar = process.env.HLC_GRAMMAR || path.join(__dirname, "../textmate/hl.tmLanguage.json");
fs.copyFileSync(grammar, path.join(__dirname, "hl.tmLanguage.json"));
