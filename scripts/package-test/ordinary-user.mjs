import { randomBytes, randomUUID } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { run, start, stop } from '../common/processes.mjs'
import { mark, sweep } from '../desktop/sweep.mjs'

/** Unlocks a keyring of the person's own, then becomes the app. */
const session = `printf %s "$KEYRING_KEY" | gnome-keyring-daemon --daemonize --unlock --components=secrets >/dev/null
unset KEYRING_KEY
exec traffic-desk "$@"`

/** A person with an account on this machine for as long as the test runs, and no rights but their own. */
export class OrdinaryUser {
  #name = `desk-test-${randomBytes(3).toString('hex')}`
  #session = randomUUID()
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #app

  async create() {
    if ((await run('useradd', ['--create-home', '--shell', '/bin/sh', this.#name])) !== 0) {
      throw new Error('The user could not be made')
    }
  }

  /** The user's number, as /proc shows it. */
  get id() {
    return Number(execFileSync('id', ['-u', this.#name], { encoding: 'utf8' }))
  }

  /**
   * Starts the installed app as this user, on a screen and a bus of its own, with nothing of our environment.
   *
   * @param {readonly string[]} args
   * @param {Readonly<Record<string, string>>} [more] of its environment
   * @returns {import('node:child_process').ChildProcess} its output is piped
   */
  startApp(args, more = {}) {
    const environment = {
      HOME: `/home/${this.#name}`,
      USER: this.#name,
      PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
      LANG: 'C.UTF-8',
      KEYRING_KEY: randomBytes(16).toString('hex'),
      [mark]: this.#session,
      ...more,
    }
    const desktop = ['xvfb-run', '-a', 'dbus-run-session', '--', 'sh', '-c', session, 'sh', ...args]
    this.#app = start('runuser', ['-u', this.#name, '--', ...desktop], {
      stdio: ['ignore', 'pipe', 'pipe'],
      cwd: '/',
      env: environment,
    })
    return this.#app
  }

  /** The app's session, once it was started. */
  get app() {
    return this.#app
  }

  /** Ends all that the user runs, and takes the account and its home away. */
  async remove() {
    if (this.#app !== undefined) await stop(this.#app)
    await sweep(this.#session)
    if ((await run('userdel', ['--remove', this.#name], { stdio: 'ignore' })) !== 0) {
      throw new Error(`The user ${this.#name} could not be removed`)
    }
  }
}
