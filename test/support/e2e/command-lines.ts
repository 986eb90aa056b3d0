import type { World } from './world.ts'

/** The command lines of everything in the project's agent container; `no container` without one. */
export async function commandLines(world: World): Promise<string> {
  const [agent] = await world.engine.list(`glovebox.project=${world.project}`)
  if (agent === undefined) return 'no container'
  const { stdout } = await world.engine
    .container(agent.id)
    .exec(['sh', '-c', 'cat /proc/[0-9]*/cmdline | tr "\\0" " "'])
  return stdout
}
