import net from 'node:net'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { Clock } from '#main/lib/async.ts'
import { systemClock } from '#main/lib/async.ts'
import { overviewAnswer } from '#test/helpers/answers.ts'
import { json, plain, scriptedServer } from '#test/helpers/scripted-server.ts'
import type { Script } from '#test/helpers/scripted-server.ts'
import { clientFor, failureOfCall, week } from '#test/helpers/service-client.ts'

const opened: { close: () => Promise<void> }[] = []

afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()))
})

async function open(script: Script, options: Parameters<typeof clientFor>[1] = {}) {
  const server = await scriptedServer(script)
  const client = clientFor(server.address, options)
  opened.push(client, server)
  return { server, client }
}

describe('cancelling', () => {
  it('before anything is sent sends nothing', async () => {
    const { server, client } = await open(json(overviewAnswer))
    const failure = await failureOfCall(client.call('script/overview', week, { signal: AbortSignal.abort() }))
    expect(failure.kind).toBe('cancelled')
    expect(server.requests).toEqual([])
  })

  it('while the service thinks ends the request there too', async () => {
    const controller = new AbortController()
    let gone: () => void = () => undefined
    const closed = new Promise<void>((resolve) => (gone = resolve))
    const { client } = await open((_, response) => {
      response.on('close', () => gone())
      controller.abort()
    })
    const failure = await failureOfCall(client.call('script/overview', week, { signal: controller.signal }))
    expect(failure.kind).toBe('cancelled')
    await closed
  })

  it('while the answer arrives', async () => {
    const controller = new AbortController()
    const { client } = await open((_, response) => {
      response.writeHead(200)
      response.write('{"total":', () => controller.abort())
    })
    const failure = await failureOfCall(client.call('script/overview', week, { signal: controller.signal }))
    expect(failure.kind).toBe('cancelled')
  })

  it('while the words of a failure arrive', async () => {
    const controller = new AbortController()
    const { client } = await open((_, response) => {
      response.writeHead(500)
      response.write('<p>', () => controller.abort())
    })
    const failure = await failureOfCall(client.call('script/overview', week, { signal: controller.signal }))
    expect(failure.kind).toBe('cancelled')
  })

  it('during the pause before the next try', async () => {
    const controller = new AbortController()
    const clock: Clock = {
      now: () => 0,
      wait: (_, signal) => {
        const waiting = systemClock.wait(60_000, signal)
        controller.abort()
        return waiting
      },
    }
    const { server, client } = await open(plain(503), { clock })
    const failure = await failureOfCall(client.call('script/overview', week, { signal: controller.signal }))
    expect(failure.kind).toBe('cancelled')
    expect(server.requests).toHaveLength(1)
  })

  it('while it waits for its turn', async () => {
    const controller = new AbortController()
    const { server, client } = await open(() => {
      if (server.requests.length === 4) controller.abort()
    })
    const running = Array.from({ length: 4 }, () => failureOfCall(client.call('script/overview', week)))
    const waiting = client.call('script/overview', week, { signal: controller.signal })
    expect((await failureOfCall(waiting)).kind).toBe('cancelled')
    await client.close()
    expect((await Promise.all(running)).map(({ kind }) => kind)).toEqual(Array(4).fill('cancelled'))
    expect(server.requests).toHaveLength(4)
  })

  it('while TLS is being negotiated', async () => {
    const controller = new AbortController()
    const sockets: net.Socket[] = []
    const silent = net.createServer((socket) => {
      sockets.push(socket)
      socket.on('error', () => undefined)
      socket.once('data', () => controller.abort())
    })
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const client = clientFor(`https://127.0.0.1:${(silent.address() as AddressInfo).port}`)
    const failure = await failureOfCall(client.call('script/overview', week, { signal: controller.signal }))
    expect(failure.kind).toBe('cancelled')
    await client.close()
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => silent.close(resolve))
  })

  it('leaves other calls alone, and no listeners behind', async () => {
    const controller = new AbortController()
    const { client } = await open(json(overviewAnswer))
    for (let calls = 0; calls < 20; calls += 1)
      await client.call('script/overview', week, { signal: controller.signal })
    controller.abort()
    expect((await client.call('script/overview', week)).answer.total.good).toBe(20)
  })
})
