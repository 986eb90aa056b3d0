/** Which user a container's processes are, so that files they write belong to the project's owner. */
import { differencesOf } from './differences.ts'
import type { EngineInfo } from './engine.ts'

export type UserIds = { uid: number; gid: number }

export type ContainerUser = UserIds & { usernsMode?: string }

/** Who runs this program; root where the platform has no such ids. */
export function ownIds(): UserIds {
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
}

/**
 * A root caller gets the project owner's ids, since root without capabilities cannot write others'
 * files. A rootless engine has one user's rights whoever calls it.
 */
export function containerUser(
  info: EngineInfo,
  caller: UserIds,
  projectOwner: UserIds,
): ContainerUser {
  const { user, usernsMode } = differencesOf(info)
  const same = caller.uid === 0 ? projectOwner : caller
  const ids = { same, root: { uid: 0, gid: 0 }, 'engine-owner': info.owner ?? caller }[user]
  return withUserns(ids, info.usernsRemap === true ? 'host' : usernsMode)
}

/** The proxy owns no file of the host: any unprivileged number does. */
export function proxyUser(): ContainerUser {
  return { uid: 65_532, gid: 65_532 }
}

function withUserns({ uid, gid }: UserIds, usernsMode: string | undefined): ContainerUser {
  return usernsMode === undefined ? { uid, gid } : { uid, gid, usernsMode }
}
