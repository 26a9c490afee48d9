import type { MessagePort } from 'node:worker_threads'
import type { FromArchiveThread, Question, Questions, ToArchiveThread } from './archive-messages.ts'

/** How often it is told how far a file is, in milliseconds. */
const NOTIFY_EVERY = 100

type Waiting = { readonly resolve: (answer: never) => void; readonly reject: (error: Error) => void }

/** The main thread as the thread sees it that fetches: it is asked what only it knows, and says when to stop. */
export class OtherSide {
  readonly #port: MessagePort
  readonly #waiting = new Map<number, Waiting>()
  readonly #controller = new AbortController()
  #asked = 0
  #notifiedAt = 0
  #told = 0
  #length = 0

  constructor(port: MessagePort) {
    this.#port = port
    port.on('message', (message: ToArchiveThread) => this.#onMessage(message))
  }

  /** Aborted when nobody wants it any more. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Rejects where the other side could not answer; it knows why. */
  ask<Name extends keyof Questions>(
    name: Name,
    asked: Questions[Name]['asked'],
  ): Promise<Questions[Name]['answer']> {
    const id = (this.#asked += 1)
    // The pair belongs together: both are of the same name.
    const question = { kind: name, asked } as Question
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#notify({ kind: 'asks', id, question })
    })
  }

  /** Tells how long the file is, now and then. */
  wrote(length: number): void {
    this.#length = length
    const now = performance.now()
    if (now - this.#notifiedAt < NOTIFY_EVERY) return
    this.#notifiedAt = now
    this.notifyLength()
  }

  /** Tells how long the file is, where that was not told yet. */
  notifyLength(): void {
    if (this.#length === this.#told) return
    this.#told = this.#length
    this.#notify({ kind: 'wrote', length: this.#length })
  }

  arrived(): void {
    this.#notify({ kind: 'arrived' })
  }

  #notify(message: FromArchiveThread): void {
    this.#port.postMessage(message)
  }

  #onMessage(message: ToArchiveThread): void {
    switch (message.kind) {
      case 'answer':
        return this.#take(message.id)?.resolve(message.answer as never)
      case 'no-answer':
        return this.#take(message.id)?.reject(new Error('The other side could not answer'))
      case 'stop':
        return this.#controller.abort()
    }
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    return waiting
  }
}
