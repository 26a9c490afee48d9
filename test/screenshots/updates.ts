import { feedText, maker, openFeedHost, publishAt } from '../src-main/updates/maker.ts'

/** A feed on this computer. */
export type Updates = {
  /** What the app is started with. */
  readonly env: Readonly<Record<string, string>>
  /** There is a newer version. */
  readonly publish: () => void
  /** The newest version is an older one than runs. */
  readonly publishOlder: () => void
  /** A feed that another has signed. */
  readonly forge: () => void
  /** Nobody answers there any more. */
  readonly close: () => Promise<void>
}

const notes = [
  'Tables open faster.',
  'Rows of raw reports can be grouped by four columns.',
  'Repaired: a PDF with many columns cut the last one.',
].join('\n')

export async function startUpdates(): Promise<Updates> {
  const [host, by] = [await openFeedHost(), maker()]
  const now = Date.now()
  const text = feedText({
    ...{ version: '9.1.0', notes, date: new Date(now - 3_600_000).toISOString() },
    expires: new Date(now + 86_400_000).toISOString(),
  })
  return {
    env: { TRAFFIC_DESK_UPDATE_FEED: host.address, TRAFFIC_DESK_UPDATE_KEY: by.publicKey },
    publish: () => publishAt(host, by, text),
    publishOlder: () => publishAt(host, by, text.replace('9.1.0', '0.0.1')),
    forge: () => publishAt(host, maker(), text),
    close: () => host.server.close(),
  }
}
