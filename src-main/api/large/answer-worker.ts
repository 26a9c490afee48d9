import { portOfThread, serveRpc } from '#main/workers/rpc-server.ts'
import { readAnswer } from '../body.ts'
import type { Forgiven } from '../decode/json.ts'
import { AccessToken } from '../token.ts'
import { cutUp } from './large-answers.ts'
import type { Slice, LargeCalls } from './large-answers.ts'

/** Decodes large responses in a worker thread and returns them in slices. */
function start(port: NonNullable<ReturnType<typeof portOfThread>>): void {
  const waiting = new Map<number, Slice[]>()
  let count = 0
  const calls: LargeCalls = {
    read: ({ answer, path, url, now, token: entry }) => {
      const token = AccessToken.fromEntry(entry)
      if (!token) throw new TypeError('This is no token')
      const forgiven = new Set<Forgiven>()
      const circumstances = { path, url: new URL(url), now, token }
      const read = readAnswer(answer, circumstances, (kind) => forgiven.add(kind))
      const { remainder, slices } = cutUp(read.answer)
      const id = (count += 1)
      waiting.set(id, [...slices])
      return { id, remainder, text: read.text, forgiven: [...forgiven] }
    },
    next: (id) => {
      const slice = waiting.get(id)?.shift() ?? null
      if (slice === null) waiting.delete(id)
      return slice
    },
  }
  serveRpc<LargeCalls>(port, calls, () => port.close())
}

const port = portOfThread()
if (port) start(port)
