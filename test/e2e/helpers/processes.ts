import { readdirSync, readFileSync } from 'node:fs'

/** A process and all that it started, by /proc; those that end meanwhile are left out. */
export function familyOf(pid: number): number[] {
  const parents = new Map(readdirSync('/proc').flatMap((name) => parentOf(name)))
  const family = [pid]
  for (const member of family) {
    for (const [child, parent] of parents) if (parent === member) family.push(child)
  }
  return family
}

function parentOf(name: string): [number, number][] {
  if (!/^\d+$/.test(name)) return []
  try {
    // The name of the program, in brackets, may hold anything.
    const fields = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)?.split(' ')
    return [[Number(name), Number(fields?.[1])]]
  } catch {
    return []
  }
}

/** The arguments and the environment of a process, as they can be read by others. */
export function outsideOf(pid: number): Buffer {
  return Buffer.concat([readFileSync(`/proc/${pid}/cmdline`), readFileSync(`/proc/${pid}/environ`)])
}

/** The command line of a process; nothing where it has ended. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
