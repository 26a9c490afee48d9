import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { comparison, median } from '../measure/figures.ts'
import { temporaryFolder } from '../measure/desk.ts'

const MEBIBYTES = 1024
const RUNS = 5
/** Our time over curl's: 0.9 times its throughput. */
const REACH = 1 / 0.9
/** MiB above the idle process. */
const MEMORY = 30

const figures = v.object({
  arrived: v.number(),
  saved: v.number(),
  whileArriving: v.number(),
  memory: v.number(),
})
const script = (name: string) => join(import.meta.dirname, name)

/** An archive of 1 GiB from loopback to the disk, by the app's own way in a process of its own, and by curl. */
export async function downloading(): Promise<string> {
  const folder = temporaryFolder('archives')
  const server = spawn(
    process.execPath,
    [script('archive-server.ts'), join(folder, 'large.zip'), String(MEBIBYTES)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  try {
    const [line] = (await once(server.stdout, 'data', { signal: AbortSignal.timeout(120_000) })) as [Buffer]
    const address = line.toString().trim()
    const ours: v.InferOutput<typeof figures>[] = []
    const curl: number[] = []
    for (let run = 0; run < RUNS; run += 1) {
      ours.push(download(address))
      curl.push(fetchWithCurl(address, join(folder, 'curl.zip')))
    }
    const seconds = (of: (each: (typeof ours)[number]) => number) => ours.map((each) => of(each) / 1000)
    const memory = median(ours.map((each) => each.memory))
    return [
      comparison(
        `1 GiB from loopback to the disk, against curl`,
        's',
        seconds((each) => each.arrived),
        curl,
        REACH,
      ),
      `  tested, synced and named after ${median(seconds((each) => each.saved)).toFixed(2)} s`,
      `  memory    ${memory.toFixed(0)} MiB above idle, to reach at most ${MEMORY}: ${memory <= MEMORY ? 'reached' : 'MISSED'}`,
    ].join('\n')
  } finally {
    server.kill()
  }
}

function download(address: string): v.InferOutput<typeof figures> {
  const [folder, profile] = [temporaryFolder('downloads'), temporaryFolder('profile')]
  const said = execFileSync(process.execPath, [script('downloader.ts'), address, folder, profile], {
    timeout: 300_000,
  })
  for (const name of readdirSync(folder)) rmSync(join(folder, name))
  return v.parse(figures, JSON.parse(said.toString()))
}

function fetchWithCurl(address: string, path: string): number {
  const began = performance.now()
  execFileSync('curl', ['--silent', '--fail', '--output', path, `${address}/large.zip`], { timeout: 300_000 })
  const took = (performance.now() - began) / 1000
  rmSync(path)
  return took
}
