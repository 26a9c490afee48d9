import { open } from 'node:fs/promises'
import { parentPort, workerData } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import * as v from 'valibot'
import { failureOf } from '../../src-shared/desk/desk-failure.ts'
import { tableFormats } from '../../src-shared/exports/order.ts'
import { csvFile } from './csv-file.ts'
import { asDiskFailure } from '../files/disk-failure.ts'
import { jsonFile } from './json-file.ts'
import type { FromWriter, ToWriter, WritingTask } from './messages.ts'
import type { TableWriter } from './table-writer.ts'
import { xlsxFile } from './xlsx-file.ts'

const writingTask = v.object({ path: v.string(), format: v.picklist(tableFormats) })

const writers = { csv: csvFile, json: jsonFile, xlsx: xlsxFile }

/** Writes one file, step by step; after the last it is on the disk, not only with the system. */
async function start(port: MessagePort, { path, format }: WritingTask): Promise<void> {
  const file = await open(path, 'r+')
  const writer = writers[format](file)
  const answer = (said: FromWriter) => port.postMessage(said)
  port.on('message', (message: ToWriter) => {
    take(writer, message)
      .then(async () => {
        if (message.step !== 'finish') return
        await file.sync()
        await file.close()
      })
      .then(
        () => answer({ ok: true }),
        (error: unknown) => answer({ ok: false, failure: failureOf(asDiskFailure(error)) }),
      )
  })
}

async function take(writer: TableWriter, message: ToWriter): Promise<void> {
  switch (message.step) {
    case 'begin':
      return await writer.begin(message.sheet)
    case 'rows':
      return await writer.rows(message.rows)
    case 'absent':
      return await writer.absent(message.name, message.words)
    case 'finish':
      return await writer.finish()
  }
}

// What fails here ends the thread, and whoever started it hears so.
if (parentPort) void start(parentPort, v.parse(writingTask, workerData))
