import type { ServerPort } from './rpc-server.ts'

/** What Electron gives a utility process to talk to its parent by. */
type ParentPort = {
  readonly postMessage: (message: unknown) => void
  readonly on: (name: 'message', listener: (event: { readonly data: unknown }) => void) => void
}

const isParentPort = (value: unknown): value is ParentPort =>
  typeof value === 'object' && value !== null && 'postMessage' in value && 'on' in value

/** A utility process's own end of the line to its parent; undefined where this is none. */
export function portOfUtility(): (ServerPort & { readonly close: () => void }) | undefined {
  const port: unknown = Reflect.get(process, 'parentPort')
  if (!isParentPort(port)) return undefined
  return {
    post: (message) => port.postMessage(message),
    onMessage: (listener) => port.on('message', ({ data }) => listener(data)),
    close: () => process.exit(),
  }
}
