// client.js -- the package for VS Code: starts `hlc lsp`, and shows what the commands of its lenses print.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client, output;

/** What the commands of the lenses print goes to a panel of its own. The server opens the page of `hlc view`. */
async function execute(command, args, next) {
    const document = vscode.workspace.textDocuments.find((open) => open.uri.toString() === args[0]);
    if (document && document.isDirty) await document.save(); // the commands read the file
    output.show(true);
    output.appendLine(`> ${command} ${args.slice(1).filter(Boolean).join(" ")}`);
    const result = await next(command, args);
    if (result) output.appendLine(`${result.output}\n(exit code ${result.code})`);
    return result;
}

async function start() {
    const settings = vscode.workspace.getConfiguration("hlc");
    const server = { command: settings.get("path"), args: ["lsp", ...settings.get("arguments")] };
    client = new LanguageClient("hlc", "hlc", server, {
        documentSelector: [{ language: "hl" }],
        synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/*.hl") },
        middleware: { executeCommand: execute },
    });
    await client.start();
}

async function activate(context) {
    output = vscode.window.createOutputChannel("hlc commands");
    context.subscriptions.push(output, vscode.commands.registerCommand("hlc.restart", async () => {
        await client.stop();
        await start();
    }));
    await start();
}

function deactivate() {
    return client && client.stop();
}

module.exports = { activate, deactivate };
