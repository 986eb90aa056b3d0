/** The engine port on dockerode, over one unix socket. */
import { lstat } from 'node:fs/promises'

import type Dockerode from 'dockerode'

import { GloveboxError } from '../errors.ts'
import { BOUND, engineCall, unlessStatus } from './call.ts'
import { createdContainer, type Place, startedContainer } from './container-handle.ts'
import { ContainerAnswers, CreateAnswer, VolumeAnswers } from './engine-answers.ts'
import type { ContainerBody, CreatedContainer, Engine, EngineInfo, Mount } from './engine.ts'
import { buildImage } from './image-build.ts'
import { imageFacts, importRootfs, loadImages, pullImage, tagImage } from './image-store.ts'
import { ensureNetwork, networksLabelled, removeNetwork } from './network.ts'
import { podmanMounts } from './podman-mounts.ts'
import { makeVolumes } from './podman-volumes.ts'

/** Loads dockerode, which takes a quarter of a second: call it when an engine is really needed. */
export async function dockerodeEngine(info: EngineInfo): Promise<Engine> {
  const socketPath = info.uri.slice('unix://'.length)
  const { default: Docker } = await import('dockerode')
  // The undefined ones keep docker-modem from reading DOCKER_HOST again by itself.
  const blank = { host: undefined, port: undefined, ca: undefined, cert: undefined, key: undefined }
  const docker = new Docker({ ...blank, protocol: 'http', socketPath })
  const place: Place = { docker, socketPath }
  return {
    info,
    image: (reference) => imageFacts(docker, reference),
    build: async (folder, files, options) => {
      await requireFiles(folder, files)
      const told = await buildImage(docker, folder, files, options)
      return (await imageFacts(docker, options.tag))?.id ?? unnamed(told, options.tag)
    },
    importRootfs: (archive, tag, changes) => importRootfs(docker, archive, tag, changes),
    load: (archive) => loadImages(docker, archive),
    pull: (reference, onLine) => pullImage(docker, reference, onLine),
    tag: (id, tag) => tagImage(docker, id, tag),
    create: async (body, networks = []) => {
      if (info.kind === 'docker') return await create(place, body, networks)
      await requireSources(body.HostConfig.Mounts)
      await makeVolumes(docker, body.HostConfig.Mounts)
      return await create(place, { ...body, HostConfig: podmanMounts(body.HostConfig) }, networks)
    },
    list: async (label) => {
      const found = await engineCall('list its containers', BOUND.list, async (abortSignal) =>
        ContainerAnswers.parse(
          await docker.listContainers({ all: true, filters: { label: [label] }, abortSignal }),
        ),
      )
      return found.map((one) => ({
        id: one.Id,
        state: one.State,
        labels: one.Labels,
        created: one.Created,
      }))
    },
    container: (id) => startedContainer(place, id),
    volumes: async (label) => {
      const found = await engineCall('list its volumes', BOUND.list, async (abortSignal) =>
        VolumeAnswers.parse(await docker.listVolumes({ ...labelled(label), abortSignal })),
      )
      return found.Volumes.map(({ Name: name, Labels: labels, CreatedAt: at }) => {
        const created = Date.parse(at ?? '')
        return Number.isNaN(created) ? { name, labels } : { name, labels, created }
      })
    },
    removeVolume: async (name) => removeVolume(docker, name),
    networks: (label) => networksLabelled(docker, label),
    removeNetwork: (name) => removeNetwork(docker, name),
    ensureNetwork: (name, labels, options) => ensureNetwork(docker, info, name, labels, options),
  }
}

const labelled = (label: string | undefined): { filters?: { label: string[] } } =>
  label === undefined ? {} : { filters: { label: [label] } }

async function create(
  place: Place,
  body: ContainerBody,
  networks: string[],
): Promise<CreatedContainer> {
  const answer = await engineCall('create the container', BOUND.create, async (abortSignal) =>
    CreateAnswer.parse(await postCreate(place.docker, body, abortSignal)),
  )
  const { Id: id, Warnings: warnings } = answer
  const container = createdContainer(place, id, warnings)
  try {
    for (const network of networks) {
      // oxlint-disable-next-line no-await-in-loop -- engines lose a connect when two come at once
      await engineCall(`connect the container to ${network}`, BOUND.network, (abortSignal) => {
        const options = { Container: id, abortSignal }
        return place.docker.getNetwork(network).connect(options)
      })
    }
  } catch (error) {
    await container.remove()
    throw error
  }
  return container
}

/** Below dockerode's `createContainer`, which drops the warnings and repeats the body in the address. */
function postCreate(
  docker: Dockerode,
  body: ContainerBody,
  abortSignal: AbortSignal,
): Promise<unknown> {
  const request = {
    path: '/containers/create',
    method: 'POST',
    options: { ...body },
    abortSignal,
    statusCodes: { 200: true, 201: true },
  }
  return new Promise((resolve, reject) => {
    docker.modem.dial(request, (error: unknown, answer: unknown) => {
      if (error === null || error === undefined) resolve(answer)
      else reject(error instanceof Error ? error : new Error('it failed', { cause: error }))
    })
  })
}

async function removeVolume(docker: Dockerode, name: string): Promise<boolean> {
  return await engineCall(`remove the volume ${name}`, BOUND.remove, async (abortSignal) => {
    const inUse = Symbol('in use')
    const removal = docker.getVolume(name).remove({ abortSignal })
    const result: unknown = await unlessStatus(
      [404],
      removal.catch((error: unknown) => {
        if (isConflict(error)) return inUse
        throw error
      }),
    )
    return result !== inUse
  })
}

const isConflict = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'statusCode' in error && error.statusCode === 409

/** Podman makes a missing source, as a folder of root's. */
async function requireSources(mounts: Mount[]): Promise<void> {
  const sources = mounts.flatMap((one) => (one.Type === 'bind' && one.Source ? [one.Source] : []))
  await Promise.all(
    sources.map(async (source) => {
      try {
        await lstat(source)
      } catch (error) {
        throw new GloveboxError(
          'engine_failed',
          `The engine could not create the container: the mount source ${source} does not exist.`,
          '',
          { cause: error },
        )
      }
    }),
  )
}

/** tar-fs would leave a missing file out and say so late: look first. */
async function requireFiles(folder: string, files: string[]): Promise<void> {
  await Promise.all(
    files.map(async (file) => {
      try {
        await lstat(`${folder}/${file}`)
      } catch (error) {
        throw new GloveboxError(
          'build_failed',
          `The file ${file} that the image is built from is missing in ${folder}.`,
          'Build the programs first with `npm run build`.',
          { cause: error },
        )
      }
    }),
  )
}

function unnamed(told: string | undefined, tag: string): string {
  if (told !== undefined) return told
  throw new GloveboxError('engine_failed', `The engine made the image ${tag} and does not list it.`)
}
