/** The oldest Node the launcher runs on. */
const OLDEST = [22, 19] as const

/** A sentence when this Node is too old, else undefined. `version` such as `20.11.1`. */
export function unsupportedNode(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const enough = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
  return enough
    ? undefined
    : `Glovebox needs Node ${OLDEST.join('.')} or newer; this is ${version}. Start it with a newer node.`
}
