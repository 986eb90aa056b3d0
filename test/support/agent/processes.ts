import { readFile } from 'node:fs/promises'

/** Whether the process runs; one that ended and was not reaped by its parent yet does not. */
export async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return stat !== '' && !/\) [ZX] /.test(stat)
}
