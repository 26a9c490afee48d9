import { defineInterface, sessionBus, toPlain } from 'dbus-native'
import type { MessageBus } from 'dbus-native'
import { expect, onTestFinished } from 'vitest'
import { pollOptions } from './poll-options.ts'

const watcherName = 'org.kde.StatusNotifierWatcher'
const menuInterface = 'com.canonical.dbusmenu'

/** An entry of an icon's menu as a panel reads it. */
export type PanelEntry = {
  readonly id: number
  readonly label: string
  readonly enabled: boolean
  readonly checked: boolean
}

/** A panel with a place for icons, over the session bus: a real StatusNotifierWatcher with a host. */
export type Panel = {
  /** Waits until an app has put its icon there. */
  readonly icon: () => Promise<PanelIcon>
  readonly close: () => Promise<void>
}

export type PanelIcon = {
  readonly tooltip: () => Promise<string>
  /** Width and height of the pictures, and their bytes, largest first. */
  readonly pictures: () => Promise<readonly { width: number; height: number; bytes: string }[]>
  /** The menu's entries, without the lines between them. */
  readonly entries: () => Promise<readonly PanelEntry[]>
  /** Clicks the entry that begins with these words. */
  readonly choose: (words: string) => Promise<void>
  /** Clicks Quit. The app may end before it replies. */
  readonly quit: () => Promise<void>
  /** Clicks the icon itself. */
  readonly activate: () => Promise<void>
}

/** Starts a panel; it goes with the test at the latest. */
export async function startPanel(): Promise<Panel> {
  const bus = sessionBus()
  const items: string[] = []
  const watcher = defineInterface({
    name: watcherName,
    methods: {
      RegisterStatusNotifierItem: {
        in: { service: 's' },
        handler: ({ service }: { service: string }, { sender = '' }: { sender?: string }) => {
          // Either a path of the sender's, or the name of a service with the usual path.
          items.push(service.startsWith('/') ? `${sender} ${service}` : `${service} /StatusNotifierItem`)
        },
      },
      RegisterStatusNotifierHost: { in: { service: 's' }, handler: () => undefined },
    },
    properties: {
      IsStatusNotifierHostRegistered: { type: 'b', access: 'read', get: () => true },
      ProtocolVersion: { type: 'i', access: 'read', get: () => 0 },
      RegisteredStatusNotifierItems: { type: 'as', access: 'read', get: () => items },
    },
  })
  await bus.export('/StatusNotifierWatcher', watcher)
  const name = await bus.ownName(watcherName)
  expect(name.isPrimaryOwner).toBe(true)
  let closed = false
  const close = async () => {
    if (closed) return
    closed = true
    await bus.close()
  }
  onTestFinished(close)
  return {
    icon: async () => {
      await expect.poll(() => items.length, pollOptions).toBeGreaterThan(0)
      return newestIcon(bus, () => items.at(-1) ?? '')
    },
    close,
  }
}

/**
 * An app that sees a panel appear makes its icon anew: what one that has gone does not answer, the next one is asked.
 * @param newest the one that registered last
 */
function newestIcon(bus: MessageBus, newest: () => string): PanelIcon {
  async function ask<T>(what: (icon: Omit<PanelIcon, 'quit'>) => Promise<T>): Promise<T> {
    for (;;) {
      const item = newest()
      try {
        return await what(await iconAt(bus, item))
      } catch (error) {
        const isReplaced = () => newest() !== item
        await expect
          .poll(isReplaced, { timeout: 10_000 })
          .toBe(true)
          .catch(() => undefined)
        if (!isReplaced()) throw error
      }
    }
  }
  return {
    tooltip: () => ask((icon) => icon.tooltip()),
    pictures: () => ask((icon) => icon.pictures()),
    entries: () => ask((icon) => icon.entries()),
    choose: (words) => ask((icon) => icon.choose(words)),
    quit: () => ask((icon) => icon.choose('Quit')).catch(() => undefined),
    activate: () => ask((icon) => icon.activate()),
  }
}

async function iconAt(bus: MessageBus, item: string): Promise<Omit<PanelIcon, 'quit'>> {
  const [destination = '', path = ''] = item.split(' ')
  const call = (where: string, from: string, member: string, signature?: string, body?: unknown[]) =>
    bus.invoke<unknown>(
      {
        destination,
        path: where,
        interface: from,
        member,
        ...(signature && { signature, body: body ?? [] }),
      },
      { timeout: 10_000 },
    )
  const property = async (name: string) =>
    toPlain<unknown>(
      await call(path, 'org.freedesktop.DBus.Properties', 'Get', 'ss', ['org.kde.StatusNotifierItem', name]),
    )
  const menu = String(await property('Menu'))

  async function entries(): Promise<PanelEntry[]> {
    const answer = await call(menu, menuInterface, 'GetLayout', 'iias', [0, -1, []])
    return entriesIn(answer)
  }

  return {
    tooltip: async () => String(((await property('ToolTip')) as unknown[])[2]),
    pictures: async () => {
      const all = (await property('IconPixmap')) as [number, number, Uint8Array | number[]][]
      return all
        .map(([width, height, bytes]) => ({ width, height, bytes: Buffer.from(bytes).toString('base64') }))
        .sort((a, b) => b.width - a.width)
    },
    entries,
    choose: async (words) => {
      const entry = (await entries()).find(({ label }) => label.startsWith(words))
      if (!entry) throw new Error(`No entry "${words}" in the menu`)
      await call(menu, menuInterface, 'Event', 'isvu', [entry.id, 'clicked', ['i', 0], 0])
    },
    activate: async () => {
      await call(path, 'org.kde.StatusNotifierItem', 'Activate', 'ii', [0, 0])
    },
  }
}

type Layout = readonly [id: number, properties: Record<string, unknown>, children: readonly unknown[]]

/** Reads `(u(ia{sv}av))`: a revision, then the root with its children. */
function entriesIn(answer: unknown): PanelEntry[] {
  const [, , children] = rootOf(toPlain<unknown>(answer))
  return children.map(rootOf).flatMap(([id, properties]) => {
    if (properties['type'] === 'separator') return []
    return {
      id,
      label: String(properties['label'] ?? '').replaceAll('_', ''),
      enabled: properties['enabled'] !== false,
      checked: properties['toggle-state'] === 1,
    }
  })
}

function rootOf(value: unknown): Layout {
  const list = value as readonly unknown[]
  // A call with several results answers all of them: the revision is passed over.
  const layout = (typeof list[1] === 'object' && Array.isArray(list[1]) ? list[1] : list) as Layout
  return layout
}
