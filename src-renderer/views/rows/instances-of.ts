import type { DeskBridge } from '#shared/bridge/calls.ts'
import type { RowsFile, RowsFileId } from '#shared/archives/rows-file.ts'
import type { RawReport } from '#shared/api/answers.ts'
import type { AccountId } from '#shared/values/ids.ts'

/** So many archives are looked at for what their reports were asked for. */
const maxFiles = 50

type Found = Pick<RawReport, 'instance_id' | 'instance_name'> & { readonly file: RowsFileId }

/** What the reports of archives were asked for, as far as that is known. */
export async function recordsOf(
  bridge: DeskBridge,
  account: AccountId,
  files: readonly Pick<RowsFile, 'id' | 'report'>[],
): Promise<readonly Found[]> {
  const found: Found[] = []
  for (const { id, report } of files.slice(0, maxFiles)) {
    if (report === null) continue
    const outcome = await bridge.call('raw/report', { account, report, force: false })
    if (!outcome.ok) continue
    const { instance_id, instance_name } = outcome.value.report
    found.push({ file: id, instance_id, instance_name })
  }
  return found
}

/** Of which instance archives are, by their ids; those that do not tell are left out. */
export async function instancesOf(
  ...asked: Parameters<typeof recordsOf>
): Promise<ReadonlyMap<RowsFileId, string>> {
  const found = await recordsOf(...asked)
  const known = new Map(found.flatMap(({ file, instance_id: id }) => (id === null ? [] : [[file, id]])))
  // Where all are of one, those of which it is not known may be of it too.
  return new Set(known.values()).size > 1 ? known : new Map()
}
