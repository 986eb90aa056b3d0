/** Entries to paste into an editor's configuration. */

export type EditorEntry = { editor: string; file: string; text: string }

/**
 * Zed, JetBrains IDEs, Neovim with CodeCompanion, Emacs with agent-shell. `words`: the command that
 * serves an editor and its arguments, such as `glovebox acp`.
 */
export function editorEntries(words: string[]): EditorEntry[] {
  return [
    { editor: 'Zed', file: '~/.config/zed/settings.json', text: zed(words) },
    { editor: 'JetBrains', file: '~/.jetbrains/acp.json', text: jetbrains(words) },
    { editor: 'Neovim, CodeCompanion', file: 'init.lua', text: codeCompanion(words) },
    { editor: 'Emacs, agent-shell', file: 'init.el', text: agentShell(words) },
  ]
}

function server([command, ...args]: string[]) {
  return { command, args, env: {} }
}

function zed(words: string[]): string {
  const glovebox = { type: 'custom', ...server(words) }
  return json({ agent_servers: { Glovebox: glovebox } })
}

function jetbrains(words: string[]): string {
  return json({ agent_servers: { Glovebox: server(words) } })
}

function codeCompanion(words: string[]): string {
  return `require("codecompanion").setup({
  adapters = {
    acp = {
      glovebox = function()
        return require("codecompanion.adapters").extend("opencode", {
          name = "glovebox",
          formatted_name = "Glovebox",
          commands = { default = { ${words.map(quoted).join(', ')} } },
        })
      end,
    },
  },
  interactions = { chat = { adapter = "glovebox" } },
})`
}

function agentShell([command = '', ...args]: string[]): string {
  return `(require 'agent-shell)
(add-to-list 'agent-shell-agent-configs
  (agent-shell-make-agent-config
   :identifier 'glovebox
   :mode-line-name "Glovebox"
   :buffer-name "Glovebox"
   :shell-prompt "Glovebox> "
   :shell-prompt-regexp "Glovebox> "
   :client-maker (lambda (buffer)
                   (acp-make-client :context-buffer buffer
                                    :command ${quoted(command)}
                                    :command-params '(${args.map(quoted).join(' ')})))))`
}

function json(value: unknown): string {
  return JSON.stringify(value, undefined, 2)
}

/** A string of Lua and of Emacs Lisp: both escape the quote and the backslash with a backslash. */
function quoted(word: string): string {
  return `"${word.replaceAll(/["\\]/g, String.raw`\$&`)}"`
}
