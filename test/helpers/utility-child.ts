import { pathToFileURL } from 'node:url'

/**
 * A script of the app's processes as a child of Node's, which can be killed at any time: Electron's port is put in its place. The
 * script, then its arguments, are what this one is given.
 */
const port = {
  postMessage: (message: unknown) => process.send?.(message),
  on: (_: 'message', listener: (event: { readonly data: unknown }) => void) =>
    process.on('message', (data) => listener({ data })),
}
Reflect.set(process, 'parentPort', port)
process.on('disconnect', () => process.exit())
process.argv.splice(1, 1)
await import(pathToFileURL(process.argv[1] ?? '').href)
