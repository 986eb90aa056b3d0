/** A project folder for one test. */
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'

export class Project implements AsyncDisposable {
  readonly root: string
  constructor(root: string) {
    this.root = root
  }

  path(name: string): string {
    return path.join(this.root, name)
  }

  async write(name: string, text: string): Promise<string> {
    const file = this.path(name)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, text)
    return file
  }

  async read(name: string): Promise<string> {
    return await readFile(this.path(name), 'utf8')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.root, { recursive: true, force: true })
  }
}

export async function newProject(files: Record<string, string> = {}): Promise<Project> {
  const folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'glovebox-project-')))
  const project = new Project(folder)
  for (const [name, text] of Object.entries(files)) await project.write(name, text)
  return project
}
