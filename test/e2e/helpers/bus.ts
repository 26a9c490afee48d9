import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from './folders.ts'

/** A session bus that knows no services and starts none: so nobody answers as a keychain. */
const configuration = (folder: string) => `<!DOCTYPE busconfig PUBLIC
  "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=${join(folder, 'bus')}</listen>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`

/** A session bus; `end` takes it away from whoever is on it. */
export type OwnBus = { readonly address: string; readonly end: () => Promise<void> }

/** Starts a bus of its own; it ends with the test at the latest. */
export async function startEmptyBus(): Promise<OwnBus> {
  const folder = temporaryFolder('bus')
  const file = join(folder, 'bus.conf')
  writeFileSync(file, configuration(folder))
  const child = spawn('dbus-daemon', [`--config-file=${file}`, '--nofork', '--print-address=1'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const end = async () => {
    child.kill()
    await ended
  }
  onTestFinished(end)
  const [address]: unknown[] = await once(createInterface({ input: child.stdout }), 'line')
  return { address: String(address), end }
}
