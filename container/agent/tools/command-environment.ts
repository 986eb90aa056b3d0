/** The environment of commands: the agent's own settings are not theirs. */
export function commandEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !name.startsWith('GLOVEBOX_'))
  // No pager and no editor: nobody is there to leave them.
  return { ...Object.fromEntries(kept), PAGER: 'cat', GIT_PAGER: 'cat', GIT_EDITOR: 'true' }
}
