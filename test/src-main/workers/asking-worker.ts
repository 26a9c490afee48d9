import { portOfThread, serveRpc } from '#main/workers/rpc-server.ts'
import type { ToMain } from '#main/workers/rpc-server.ts'

/** What the thread may ask. */
export type Answers = {
  readonly price: (of: string) => Promise<number>
  readonly wait: (argument: null) => Promise<null>
}

export type AskingCalls = {
  /** Asks for each price, all at once. */
  readonly sum: (things: readonly string[]) => Promise<number>
  readonly askWrongly: (given: null) => Promise<string>
  readonly waitAndDie: (given: null) => Promise<null>
}

const port = portOfThread()
if (port) {
  const main: ToMain<Answers> = serveRpc<AskingCalls, Answers>(
    port,
    {
      sum: async (things) => {
        const prices = await Promise.all(things.map((thing) => main.ask('price', thing)))
        main.notify({ asked: prices.length })
        return prices.reduce((total, price) => total + price, 0)
      },
      askWrongly: async () => {
        const cannotBeCloned: unknown = () => 1
        return await main.ask('price', cannotBeCloned as string).then(
          () => 'answered',
          (error: unknown) => (error instanceof Error ? error.name : 'none'),
        )
      },
      waitAndDie: async () => {
        void main.ask('wait', null)
        // The question has gone over once another one is answered.
        await main.ask('price', 'time')
        return process.exit(1)
      },
    },
    port.close,
  )
}
