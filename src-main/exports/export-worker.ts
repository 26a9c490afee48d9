import { open } from 'node:fs/promises'
import { workerData } from 'node:worker_threads'
import * as v from 'valibot'
import { tableFormats } from '../../src-shared/exports/order.ts'
import type { TableFormat } from '../../src-shared/exports/order.ts'
import type { TableRow } from '../../src-shared/service/answers.ts'
import { asDiskFailure } from '../files/disk-failure.ts'
import { serveRpc, portOfThread } from '../lib/rpc-server.ts'
import { csvFile } from './csv-file.ts'
import { jsonFile } from './json-file.ts'
import type { Sheet } from './table-writer.ts'
import { xlsxFile } from './xlsx-file.ts'

/** What the thread is made for: a file that is there already, empty. */
export type WritingTask = { readonly path: string; readonly format: TableFormat }

const writingTask = v.object({ path: v.string(), format: v.picklist(tableFormats) })

const writers = { csv: csvFile, json: jsonFile, xlsx: xlsxFile }

type Work<A> = (argument: A) => Promise<void>

/** The steps of a file, one at a time; after the last it is closed. */
export type WriterCalls = {
  readonly begin: Work<Sheet>
  readonly rows: Work<readonly TableRow[]>
  readonly absent: Work<{ readonly name: string; readonly words: string }>
  readonly finish: Work<null>
}

async function writerCalls({ path, format }: WritingTask): Promise<WriterCalls> {
  const file = await open(path, 'r+')
  const writer = writers[format](file)
  return {
    begin: onDisk((sheet) => writer.begin(sheet)),
    rows: onDisk((rows) => writer.rows(rows)),
    absent: onDisk(({ name, words }) => writer.absent(name, words)),
    finish: onDisk(async () => {
      await writer.finish()
      await file.close()
    }),
  }
}

const onDisk =
  <A>(work: Work<A>): Work<A> =>
  async (argument) => {
    try {
      await work(argument)
    } catch (error) {
      throw asDiskFailure(error)
    }
  }

// What fails here ends the thread, and whoever started it hears so.
async function start(): Promise<void> {
  const port = portOfThread()
  if (port) serveRpc(port, await writerCalls(v.parse(writingTask, workerData)), port.close)
}

void start()
