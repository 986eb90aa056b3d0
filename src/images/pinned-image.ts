/** How an image of the user is named in configuration and on the command line. */

/** `name@sha256:…` of a registry, or `sha256:…`, the id of an image of the engine. */
export const PINNED_IMAGE = /^(?:[a-z0-9][\w.:/-]{0,400}@)?sha256:[0-9a-f]{64}$/

/** The word that stands for the image in the project's devcontainer.json. */
export const DEVCONTAINER = 'devcontainer'
