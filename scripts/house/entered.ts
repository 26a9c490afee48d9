import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Figure } from './figures.ts'

/** Runs two queries through the app's own code (test/bench/modules-entered). @returns what it printed */
export function runModulesEntered(root: string): Promise<string> {
  const child = spawn(process.execPath, [join(root, 'test/bench/modules-entered/main.ts')])
  const pieces: Buffer[] = []
  child.stdout.on('data', (piece: Buffer) => pieces.push(piece))
  return new Promise((done) => child.on('close', () => done(Buffer.concat(pieces).toString())))
}

const reach = { cold: 45, warm: 40 } as const

/**
 * Files that a query enters, each once for all threads, from what was printed: with nothing stored first (cold), then
 * computed from its stored table (warm).
 */
export function filesEntered(printed = ''): readonly Figure[] {
  const [, ...queries] = printed.split('(from: ')
  return (['cold', 'warm'] as const).map((name, nth) => {
    const named = [...(queries[nth] ?? '').matchAll(/^ {4}(src-\S+)$/gm)]
    const files = [...new Set(named.flatMap(([, path]) => path ?? []))]
    return {
      name: `files entered, ${name}`,
      rule: 'of the main process and its threads, by a query; those of the window are not among them',
      ...{ of: 'size', better: 'less', reach: reach[name] },
      count: () => ({ figure: files.length, places: files }),
    }
  })
}
