/**
 * What the bundled agent does on the ACP side, one id for each behaviour. A test cites an id in its
 * title, as in `[stop.refusal] …`; the suite fails when an id that is not open has no test, and when
 * a test cites an unknown one.
 */
export type Requirement = {
  sentence: string
  /** Why there is no test yet; such an id runs out by itself: a test that cites it fails the suite. */
  open?: string
}

const LAUNCHER = 'The launcher does it, for every agent.'
const LATER = 'Comes with the agent’s depth: MCP, context, undo and extensions.'

export const REQUIREMENTS = {
  'wire.stdout': { sentence: 'Only frames are on stdout; other writes go to stderr.' },
  'wire.ndjson': { sentence: 'One JSON object a line; UTF-8 may be split at any byte.' },
  'wire.eof': { sentence: 'The end of stdin closes every session and command; exit code 0.' },
  'wire.sigterm': { sentence: 'SIGTERM does the same, at once.' },
  'wire.wsl': { sentence: 'Native Windows gets one sentence: use WSL.', open: LAUNCHER },
  'wire.reread': { sentence: 'Settings are read again for each session/new.', open: LAUNCHER },

  'init.version': { sentence: 'The answer is version 1, whatever was asked for.' },
  'init.caps': { sentence: 'Only what is true is offered.' },
  'init.info': { sentence: 'Name, title and version.' },
  'init.clientcaps': { sentence: 'Nothing is called that the client did not offer.' },
  'auth.required': { sentence: 'session/new without a usable model or key fails with -32000.' },
  'auth.other': { sentence: 'Other set-up faults are plain errors with their sentence.' },
  'auth.terminal': { sentence: 'The terminal sign-in is offered when possible.' },
  'auth.program': { sentence: 'The set-up program.' },
  'auth.authenticate': { sentence: '`{}` when ready, else -32000.' },
  'auth.afterlogin': { sentence: 'The next session/new after set-up works.' },

  'session.cwd': { sentence: 'An absolute existing folder, else -32602 naming the value.' },
  'session.isolated': { sentence: 'Sessions share nothing; two turns overlap without mixing.' },
  'session.oneprompt': { sentence: 'A second prompt is an error, the first is not disturbed.' },
  'session.load.order': { sentence: 'History is told before the response; the session goes on.' },
  'session.load.mismatch': { sentence: 'Other folder or unknown id: an error, nothing built.' },
  'session.resume': { sentence: 'Goes on without telling the history.' },
  'session.list': { sentence: 'By folder and without, with title, time and cursor.' },
  'session.close': { sentence: 'Cancels and frees.' },
  'session.delete': { sentence: 'Removes the journal.' },
  'session.fork': { sentence: 'Only with its capability, which is not offered.' },
  'session.title': { sentence: 'The first turn gives a title.' },
  'session.commandsafter': { sentence: 'The commands follow the session/new response.' },
  'session.notices': { sentence: 'Set-up’s words wait for the first prompt, or are notices.' },
  'session.disconnect': { sentence: 'A client that goes away ends its turns, and harms none.' },

  'prompt.text': { sentence: 'Text reaches the model.' },
  'prompt.empty': { sentence: 'Empty or unsupported content is -32602 and nothing starts.' },
  'prompt.link.in': { sentence: 'A link into the project is attached.' },
  'prompt.link.denied': { sentence: 'A denied file is not attached, with a notice.' },
  'prompt.link.out': { sentence: 'A link out of the project stays text.' },
  'prompt.embedded': { sentence: 'Embedded text is a block its content cannot close.' },
  'prompt.image': { sentence: 'An image is sent to the model.' },
  'prompt.mention': { sentence: '@path attaches the file and counts as read.' },
  'prompt.slash': { sentence: 'Built-ins stay here, commands expand, the rest is text.' },

  'update.text': { sentence: 'Text comes in order.' },
  'update.thought': { sentence: 'Thoughts come in order.' },
  'update.messageid': { sentence: 'One id for each message.' },
  'update.toolcall': { sentence: 'Pending, in progress, completed or failed, with all facts.' },
  'update.denied': { sentence: 'A denied call ends failed with the reason.' },
  'update.kinds': { sentence: 'Each call has its kind.' },
  'update.titles': { sentence: 'Each call has its title, on one line.' },
  'update.visible': { sentence: 'Hidden characters are shown, with a warning.' },
  'update.presenters': { sentence: 'Tools present themselves; the ACP layer names none.' },
  'update.terminal': { sentence: 'Commands as terminal cards where the client has them.' },
  'update.diff': { sentence: 'Edits as diffs, up to 1 MB.' },
  'update.plan': { sentence: 'The plan is sent whole.' },
  'update.usage': { sentence: 'Usage and cost follow each response.' },
  'update.order': { sentence: 'Nothing before its session’s, after its turn’s response.' },

  'stop.end_turn': { sentence: 'A finished answer ends the turn.' },
  'stop.max_tokens': { sentence: 'After the continuations.' },
  'stop.refusal': { sentence: 'A refusal, which leaves the conversation.' },
  'stop.max_turn_requests': { sentence: 'Steps, tokens, identical calls, cost.' },
  'stop.cancelled': { sentence: 'A cancelled turn.' },
  'stop.error': { sentence: 'A provider’s failure is an error with its sentence.' },

  'cancel.model': { sentence: 'The stream is aborted within 100 ms.' },
  'cancel.command': { sentence: 'TERM to the group, KILL 2 s later.' },
  'cancel.settle': { sentence: 'Up to 3 s for running calls, later results are dropped.' },
  'cancel.failed': { sentence: 'A call that ends after the stop is failed.' },
  'cancel.lines': { sentence: 'One line for each stopped call.' },
  'cancel.next': { sentence: 'The next prompt works; open calls are closed.' },
  'cancel.queue': { sentence: 'Only the addressed session; $/cancel_request the same.' },

  'perm.order': { sentence: 'The order of judgement; hooks come with the extensions.' },
  'perm.rules': { sentence: '`tool` or `tool(pattern)`; every part of a command is judged.' },
  'perm.callid': { sentence: 'The question carries the id of its own call.' },
  'perm.ownentry': { sentence: 'A question that is no call has an entry of its own.' },
  'perm.options': { sentence: 'The four options, with narrow session rules.' },
  'perm.failclosed': { sentence: 'Whatever is no clear yes is a no.' },
  'perm.abort': { sentence: 'A cancel settles questions as denied.' },
  'perm.reason': { sentence: 'The reason of a denial reaches the model.' },

  'mode.list': { sentence: 'Four modes, from the next turn, never echoed.' },
  'mode.own': { sentence: 'A change of the agent’s own is told.' },
  'mode.option': { sentence: 'The mode is a config option too.' },
  'option.vocab': { sentence: 'Options and values come from their owners.' },
  'option.fold': { sentence: 'Idle changes last only with the next turn.' },
  'option.model': { sentence: 'Model and effort for each session.' },
  'elicit.form': { sentence: 'Questions as forms, or as text that ends the turn.' },

  'mcp.session': { sentence: 'MCP servers live for their session.', open: LATER },
  'mcp.drop': { sentence: 'Dropped servers are named to the user.' },
  'mcp.consent': { sentence: 'Consent for each server, questions for each tool.', open: LATER },
  'mcp.faults': { sentence: 'A bad server is never a dead turn.', open: LATER },

  'turn.parallel': { sentence: 'Reading calls beside each other, results in order.' },
  'turn.validate': { sentence: 'Bad input is a result.' },
  'turn.unknown': { sentence: 'An unknown tool is a result.' },
  'turn.retry': { sentence: 'Broken streams and busy providers are asked again.' },
  'turn.continue': { sentence: 'A cut answer is continued up to 3 times.' },
  'turn.pause': { sentence: 'A pause goes straight on.' },
  'turn.compact': { sentence: 'A full window is compacted.', open: LATER },
  'turn.readonce': { sentence: 'Unchanged lines are not sent twice.', open: LATER },
  'turn.explore': { sentence: 'A reading child loop.', open: LATER },
  'turn.background': { sentence: 'Long-running commands.', open: LATER },

  'journal.first': { sentence: 'Written first, redacted, a torn last line tolerated.' },
  'journal.replay': { sentence: 'A replay gives the same frames.', open: LATER },
  'undo.snapshot': { sentence: '/undo and /redo of files and turns.', open: LATER },

  'ext.instructions': { sentence: 'AGENTS.md and its like; nested ones and memory come later.' },
  'ext.commands': { sentence: 'Commands from Markdown files; the project’s ask first.' },
  'ext.skills': { sentence: 'Skills.', open: LATER },
  'ext.agents': { sentence: 'Custom agents.', open: LATER },
  'ext.hooks': { sentence: 'Hooks.', open: LATER },
  'ext.trust': { sentence: 'Consents live on the host.', open: LAUNCHER },

  'run.text': { sentence: 'Text output of `glovebox run`.', open: LAUNCHER },
  'run.json': { sentence: 'JSON output.', open: LAUNCHER },
  'run.stream': { sentence: 'Streamed JSON output.', open: LAUNCHER },
  'run.exit': { sentence: 'Exit codes 0, 1, 2 and 130.', open: LAUNCHER },
  'run.stdin': { sentence: 'The prompt from stdin.', open: LAUNCHER },
  'run.resume': { sentence: 'Going on with a session.', open: LAUNCHER },
} as const satisfies Record<string, Requirement>
