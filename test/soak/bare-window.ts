/**
 * A window that is driven by the DevTools protocol alone. Playwright has the window keep what came with each request, for
 * whoever may ask: over many views that is more than anything that the window itself could lose.
 */
export type BareWindow = {
  readonly send: (method: string, parameters?: object) => Promise<unknown>
  /** @returns what an expression comes to in the window, as far as JSON tells. @throws what it throws */
  readonly evaluate: (expression: string) => Promise<unknown>
  /** Goes to a view by its address. */
  readonly go: (address: string) => Promise<void>
  /** Errors and warnings of its console, and errors that nobody caught, so far. */
  readonly complaints: () => readonly string[]
  readonly leave: () => void
}

type Thrown = { readonly text: string; readonly exception?: { readonly description?: string } }

type Evaluated = { readonly result: { readonly value?: unknown }; readonly exceptionDetails?: Thrown }

type Message = {
  readonly id?: number
  readonly error?: { readonly message: string }
  readonly result?: unknown
  readonly method?: string
  readonly params?: {
    readonly type?: string
    readonly args?: readonly { readonly value?: unknown }[]
    readonly exceptionDetails?: Thrown
  }
}

/** @param debugging where the app lets itself be driven */
export async function bareWindow(debugging: string): Promise<BareWindow> {
  const targets = (await (await fetch(`${debugging}/json/list`)).json()) as {
    type: string
    webSocketDebuggerUrl: string
  }[]
  const page = targets.find(({ type }) => type === 'page')
  if (!page) throw new Error('The app has no window')
  const socket = new WebSocket(page.webSocketDebuggerUrl)
  const waiting = new Map<number, (message: Message) => void>()
  const heard: string[] = []
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as Message
    if (message.id !== undefined) waiting.get(message.id)?.(message)
    const { type = '', args = [], exceptionDetails } = message.params ?? {}
    if (message.method === 'Runtime.consoleAPICalled' && ['error', 'warning'].includes(type))
      heard.push(`${type}: ${args.map(({ value }) => String(value)).join(' ')}`)
    if (exceptionDetails)
      heard.push(`not caught: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`)
  })
  // Who waits for a window that has gone hears so.
  socket.addEventListener('close', () => {
    for (const answer of waiting.values()) answer({ error: { message: 'The window has gone' } })
  })
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', reject)
  })
  let last = 0
  const send = async (method: string, params: object = {}): Promise<unknown> => {
    const id = (last += 1)
    const answer = new Promise<Message>((resolve) => waiting.set(id, resolve))
    socket.send(JSON.stringify({ id, method, params }))
    const { error, result } = await answer.finally(() => waiting.delete(id))
    if (error) throw new Error(`${method}: ${error.message}`)
    return result
  }
  const evaluate = async (expression: string): Promise<unknown> => {
    const { result, exceptionDetails } = (await send('Runtime.evaluate', {
      ...{ expression, returnByValue: true, awaitPromise: true },
    })) as Evaluated
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
    return result.value
  }
  await send('Runtime.enable')
  return {
    send,
    evaluate,
    go: async (address) => void (await evaluate(`location.hash = ${JSON.stringify(address)}`)),
    complaints: () => heard,
    leave: () => socket.close(),
  }
}
