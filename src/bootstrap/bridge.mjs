/** The network bridge of the private engine, and the packet filter rules that name it. */
import { readFileSync } from 'node:fs'

import { run, which } from './run.mjs'
import { BootstrapError } from './steps.mjs'
import { freeSubnet } from './subnet.mjs'

/** Makes the bridge unless it is there. */
export async function ensureBridge(name) {
  const ip = which('ip') ?? 'ip'
  if (await exists(ip, name)) return
  const address = freeSubnet(readFileSync('/proc/net/route', 'utf8'))
  if (address === undefined) {
    throw new BootstrapError('No private address range is free for an engine of our own.', 69)
  }
  await run(ip, ['link', 'add', 'name', name, 'type', 'bridge'])
  await run(ip, ['address', 'add', address, 'dev', name])
  await run(ip, ['link', 'set', name, 'up'])
}

/** Removes the bridge and every rule that names it; no error when they are gone. */
export async function removeBridge(name) {
  const iptables = which('iptables')
  if (iptables !== undefined) {
    for (const table of ['filter', 'nat']) await removeRules(iptables, table, name)
  }
  const ip = which('ip')
  if (ip !== undefined && (await exists(ip, name))) await run(ip, ['link', 'delete', name])
}

const exists = (ip, name) =>
  run(ip, ['link', 'show', 'dev', name]).then(
    () => true,
    () => false,
  )

async function removeRules(iptables, table, name) {
  const listing = await run(iptables, ['-w', '-t', table, '-S']).catch(() => '')
  for (const rule of rulesNaming(listing, name)) {
    await run(iptables, ['-w', '-t', table, '-D', ...rule])
  }
}

/** From `iptables -S`, the rules with this interface in them, as arguments after `-D`. Pure. */
export function rulesNaming(listing, name) {
  return listing
    .split('\n')
    .map((line) => line.trim().split(' '))
    .filter((words) => words[0] === '-A' && words.includes(name))
    .map((words) => words.slice(1))
}
