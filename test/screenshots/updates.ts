import { chmodSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { electronPath } from '../bench/measure/launch.ts'
import { feedText, maker, openFeedHost, packageBytes, publishAt } from '../src-main/updates/maker.ts'

/** A feed on this computer, for an app that takes itself for an AppImage. */
export type Updates = {
  /** What the app is started with. */
  readonly env: Readonly<Record<string, string>>
  /** There is a newer version; its package comes no further than half of it, until `release`. */
  readonly publish: () => void
  readonly release: () => void
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

export async function startUpdates(folder: string): Promise<Updates> {
  const [host, by, bytes] = [await openFeedHost(), maker(), packageBytes(8_000_000)]
  const appImage = join(folder, 'Traffic Desk.AppImage')
  writeFileSync(appImage, packageBytes(1000))
  chmodSync(appImage, 0o755)
  const now = Date.now()
  const text = feedText(bytes, {
    ...{ version: '9.1.0', notes, date: new Date(now - 3_600_000).toISOString() },
    expires: new Date(now + 86_400_000).toISOString(),
  })
  return {
    env: {
      TRAFFIC_DESK_UPDATE_FEED: host.address,
      TRAFFIC_DESK_UPDATE_KEY: by.publicKey,
      APPIMAGE: appImage,
      APPDIR: dirname(realpathSync(electronPath())),
    },
    publish: () => {
      publishAt(host, by, text)
      host.lying.set('/desk/app.deb', { first: bytes.subarray(0, 4_000_000), of: bytes.length })
    },
    release: () => void host.lying.set('/desk/app.deb', bytes),
    publishOlder: () => publishAt(host, by, text.replace('9.1.0', '0.0.1')),
    forge: () => publishAt(host, maker(), text),
    close: () => host.server.close(),
  }
}
