/** The engine's answers we read more than a field of, parsed once; what else they hold is kept. */
import { z } from 'zod'

const anything = z.record(z.string(), z.unknown())
const list = <T extends z.ZodType>(item: T) =>
  z
    .array(item)
    .nullish()
    .transform((value) => value ?? [])
/** Both engines answer null in place of an empty map. */
const labels = z
  .record(z.string(), z.string())
  .nullish()
  .transform((value) => value ?? {})

export const CreateAnswer = z.object({ Id: z.string(), Warnings: list(z.string()) })

export const InspectAnswer = z.looseObject({
  Id: z.string(),
  Name: z.string(),
  Image: z.string(),
  State: z.looseObject({
    Status: z.string(),
    Running: z.boolean(),
    ExitCode: z.number(),
    OOMKilled: z.boolean(),
    Pid: z.number(),
  }),
  Config: z.looseObject({ Labels: labels, Env: list(z.string()) }),
  HostConfig: anything,
  Mounts: list(
    z.looseObject({
      Type: z.string(),
      Source: z.string(),
      Destination: z.string(),
      RW: z.boolean(),
      Name: z.string().default(''),
    }),
  ),
  NetworkSettings: z.looseObject({
    Networks: z
      .record(z.string(), z.looseObject({ IPAddress: z.string(), Gateway: z.string() }))
      .nullish()
      .transform((value) => value ?? {}),
  }),
})

export const NetworkAnswers = list(
  z.object({
    Id: z.string(),
    Name: z.string(),
    Created: z.string(),
    Driver: z.string(),
    Internal: z.boolean(),
    Options: labels,
    Labels: labels,
  }),
)

export const VolumeAnswers = z.object({
  Volumes: list(z.object({ Name: z.string(), Labels: labels, CreatedAt: z.string().nullish() })),
})

export const ContainerAnswers = list(
  z.object({ Id: z.string(), State: z.string(), Labels: labels, Created: z.number() }),
)

export const ImageAnswer = z.object({
  Id: z.string(),
  RepoTags: list(z.string()),
  RepoDigests: list(z.string()),
  Config: z
    .object({ Labels: labels, Env: list(z.string()), Volumes: anything.nullish() })
    .nullish()
    .transform((value) => value ?? { Labels: {}, Env: [], Volumes: undefined }),
  Architecture: z.string(),
  Size: z.number(),
})

export type NetworkFacts = z.infer<typeof NetworkAnswers>[number]

/** A line of JSON as an object; `undefined` for everything else. */
export function objectOf(text: string): Record<string, unknown> | undefined {
  try {
    return anything.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
