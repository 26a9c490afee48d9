import { appThread } from '#test/helpers/app-threads.ts'

/** The engine's process as a child of Node's, which can be killed at any time: Electron's port is put in its place. */
const port = {
  postMessage: (message: unknown) => process.send?.(message),
  on: (_: 'message', listener: (event: { readonly data: unknown }) => void) =>
    process.on('message', (data) => listener({ data })),
}
Reflect.set(process, 'parentPort', port)
process.on('disconnect', () => process.exit())
await import(appThread('engine').href)
