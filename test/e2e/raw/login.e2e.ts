import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startSandbox } from '../helpers/sandbox.ts'
import { connectTo, ownDesk, turn } from './desk.ts'

it('starts at login without a window, from where it is now, for as long as that is wanted', async () => {
  const desk = ownDesk()
  const file = join(desk.config, 'autostart', 'traffic-desk.desktop')
  const exec = () => /^Exec=(.*)$/m.exec(readFileSync(file, 'utf8'))?.[1]
  const [sandbox, first] = [await startSandbox(), desk.start()]
  const page = await first.window()
  await connectTo(page, 'Northwind', sandbox)
  await turn(page, 'Start when you log in')
  const wanted = exec()
  expect(wanted).toMatch(/^".*" --hidden$/)
  await first.quit()

  // It was somewhere else when that was written.
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^Exec=.*$/m, 'Exec="/old/traffic-desk" --hidden'))
  const second = desk.start()
  const again = await second.window()
  await again.getByRole('navigation', { name: 'Main' }).waitFor()
  await expect.poll(exec).toBe(wanted)
  await turn(again, 'Start when you log in')
  expect(existsSync(file)).toBe(false)
  await second.quit()
})
