/** Compares what an engine made with what it was asked for, before anything runs in it. */
import { isDeepStrictEqual } from 'node:util'

import { type Difference, difference } from './difference.ts'
import { differencesOf } from './differences.ts'
import type { ContainerBody, ContainerInspect, EngineInfo } from './engine.ts'
import { imageId } from './image-store.ts'
import { compareLimits } from './verify-limits.ts'
import { compareMounts } from './verify-mounts.ts'

export type { Difference } from './difference.ts'

/** Empty when all is as asked, in this engine's way of telling it. */
export function verifyCreated(
  asked: ContainerBody,
  found: ContainerInspect,
  info: EngineInfo,
): Difference[] {
  return [
    ...compareConfig(asked, found, info),
    ...compareIsolation(asked, found, info),
    ...compareUnasked(found, info),
    ...compareMounts(asked, found, info),
    ...compareLimits(asked, found),
    ...(info.seccomp === false
      ? [difference('seccomp', 'a filter', 'none', 'limit-not-enforced')]
      : []),
  ]
}

function compareConfig(
  asked: ContainerBody,
  { Config: config, Image: image }: ContainerInspect,
  info: EngineInfo,
): Difference[] {
  const { told } = differencesOf(info)
  return [
    ...same('Image', imageId(asked.Image), imageId(image)),
    ...same('Config.User', asked.User, config['User']),
    ...same('Config.Tty', false, config['Tty']),
    ...same('Config.OpenStdin', asked.OpenStdin, config['OpenStdin']),
    ...(told.stdinOnce ? same('Config.StdinOnce', asked.StdinOnce, config['StdinOnce']) : []),
    ...optional('Config.WorkingDir', asked.WorkingDir, config['WorkingDir']),
    ...optional('Config.Hostname', asked.Hostname, config['Hostname']),
    ...optional('Config.Cmd', asked.Cmd, config['Cmd']),
    ...optional('Config.Entrypoint', asked.Entrypoint, config['Entrypoint']),
    ...Object.entries(asked.Labels).flatMap(([name, value]) =>
      same(`Config.Labels.${name}`, value, config.Labels[name]),
    ),
    ...compareEnv(asked.Env, config.Env),
  ]
}

/** Variables that redirect or reprogram a process, and that an engine's own settings may add. */
const STEERING = /^(LD_|NODE_|DYLD_|BASH_ENV=|ENV=|PYTHON|PERL5|GIT_)|^[a-z]+_proxy=/i

/** The image's own variables are added by every engine; its digest is pinned. */
function compareEnv(asked: string[], found: string[]): Difference[] {
  const missing = asked.filter((one) => !found.includes(one))
  const names = new Set(asked.map(nameOf))
  const added = found.filter((one) => STEERING.test(one) && !names.has(nameOf(one)))
  // Names only: a value may be a secret.
  return [
    ...missing.map((one) => difference(`Config.Env.${nameOf(one)}`, 'as given', 'another value')),
    ...added
      .filter((one) => !IMAGE_SETS.has(nameOf(one)))
      .map((one) => difference(`Config.Env.${nameOf(one)}`, 'unset', 'set by the engine')),
  ]
}

/** What the official Node images set. */
const IMAGE_SETS = new Set(['NODE_VERSION'])

const nameOf = (variable: string): string => variable.slice(0, variable.indexOf('='))

function compareIsolation(
  { HostConfig: asked }: ContainerBody,
  { HostConfig: found, NetworkSettings: network }: ContainerInspect,
  info: EngineInfo,
): Difference[] {
  const { told } = differencesOf(info)
  return [
    ...compareNetwork(asked.NetworkMode, found['NetworkMode'], Object.keys(network.Networks)),
    ...same('HostConfig.Privileged', false, found['Privileged']),
    ...same('HostConfig.ReadonlyRootfs', asked.ReadonlyRootfs, found['ReadonlyRootfs']),
    ...same('HostConfig.SecurityOpt', asked.SecurityOpt, found['SecurityOpt']),
    ...same('HostConfig.CapAdd', asked.CapAdd, found['CapAdd'] ?? []),
    ...containing('HostConfig.CapDrop', dropped(asked.CapDrop, told.capDropAll), found['CapDrop']),
    ...oneOf('HostConfig.IpcMode', ipcModes(asked.IpcMode, told.ipcPrivate), found['IpcMode']),
    ...oneOf(
      'HostConfig.UsernsMode',
      usernsModes(asked.UsernsMode, told.usernsMode),
      found['UsernsMode'],
    ),
    ...same('HostConfig.AutoRemove', asked.AutoRemove, found['AutoRemove']),
    ...same('HostConfig.LogConfig.Type', asked.LogConfig.Type, logType(found['LogConfig'])),
    ...(info.kind === 'docker'
      ? optional('HostConfig.Runtime', asked.Runtime, found['Runtime'])
      : []),
  ]
}

const dropped = (asked: string[], all: string[]): string[] => (asked.includes('ALL') ? all : asked)

const ipcModes = (asked: string, told: string[]): string[] => (asked === 'private' ? told : [asked])

const usernsModes = (asked: string | undefined, told: string[]): string[] =>
  asked === undefined ? [''] : [asked, ...told]

const logType = (config: unknown): unknown =>
  typeof config === 'object' && config !== null && 'Type' in config ? config.Type : undefined

/** Podman tells `bridge` for a network by name; the networks themselves are what counts. */
function compareNetwork(asked: string, mode: unknown, networks: string[]): Difference[] {
  if (asked === 'none') {
    const others = networks.filter((name) => name !== 'none')
    return [
      ...same('HostConfig.NetworkMode', 'none', mode),
      ...same('NetworkSettings.Networks', [], others),
    ]
  }
  return [
    ...oneOf('HostConfig.NetworkMode', [asked, 'bridge'], mode),
    ...(networks.includes(asked) ? [] : [difference('NetworkSettings.Networks', asked, networks)]),
  ]
}

/** Doors to the host that are never asked for. */
const CLOSED = [
  'Devices',
  'DeviceRequests',
  'DeviceCgroupRules',
  'PortBindings',
  'GroupAdd',
  'Links',
  'ExtraHosts',
  'CgroupParent',
  'PublishAllPorts',
  'OomKillDisable',
  'Sysctls',
]
const OWN_NAMESPACE = new Set<unknown>(['', 'private', undefined])

function compareUnasked({ HostConfig: found }: ContainerInspect, info: EngineInfo): Difference[] {
  const closed = differencesOf(info).told.binds ? CLOSED : [...CLOSED, 'Binds']
  return [
    ...closed
      .filter((field) => !isEmpty(found[field]))
      .map((field) => difference(`HostConfig.${field}`, 'nothing', found[field])),
    ...['PidMode', 'UTSMode']
      .filter((field) => !OWN_NAMESPACE.has(found[field]))
      .map((field) => difference(`HostConfig.${field}`, 'private', found[field])),
  ]
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === '') return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

function same(field: string, asked: unknown, found: unknown): Difference[] {
  return isDeepStrictEqual(asked, found) ? [] : [difference(field, asked, found)]
}

function optional(field: string, asked: unknown, found: unknown): Difference[] {
  return asked === undefined ? [] : same(field, asked, found)
}

function oneOf(field: string, asked: string[], found: unknown): Difference[] {
  return asked.includes(String(found)) ? [] : [difference(field, asked[0], found)]
}

function containing(field: string, asked: string[], found: unknown): Difference[] {
  const list = Array.isArray(found) ? found.map((one) => String(one).replace(/^CAP_/, '')) : []
  return asked.every((one) => list.includes(one)) ? [] : [difference(field, asked, found)]
}
