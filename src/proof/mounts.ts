/** Which mounts of a container are none of Glovebox's own and none of the engine's. Pure. */

/** The image, mounts that engines make themselves, and our own volumes: the socket's, the agent's. */
const OWN_MOUNTS =
  /^\/(?:$|etc\/(?:hosts|hostname|resolv\.conf)|run\/glovebox(?:\/(?:passwd|group))?|var\/lib\/agent|run\/\.containerenv)$/

/** Of the project only its own path: what covers something inside it is mounted below it. */
export function foreignMounts(paths: readonly string[], project: string): string[] {
  return paths.filter((path) => !OWN_MOUNTS.test(path) && !path.startsWith(`${project}/`))
}
