import { randomBytes, randomUUID } from 'node:crypto'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { run, start, stop } from '../common/processes.mjs'
import { mark, sweep } from '../desktop/sweep.mjs'

/** Unlocks a keyring of the person's own, then becomes the program that is named. */
const session = `printf %s "$KEYRING_KEY" | gnome-keyring-daemon --daemonize --unlock --components=secrets >/dev/null
unset KEYRING_KEY
exec "$@"`

/** A person with an account on this machine for as long as the test runs, and no rights but their own. */
export class OrdinaryUser {
  #name = `desk-test-${randomBytes(3).toString('hex')}`
  #session = randomUUID()
  #keyringKey = randomBytes(16).toString('hex')
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #app

  async create() {
    if ((await run('useradd', ['--create-home', '--shell', '/bin/sh', this.#name])) !== 0) {
      throw new Error('The user could not be made')
    }
  }

  get home() {
    return `/home/${this.#name}`
  }

  /** Where the app keeps what is this person's. */
  get profile() {
    return join(this.home, '.config', 'Traffic Desk')
  }

  /**
   * Gives the person a file or folder of their own.
   *
   * @param {string} from
   * @param {string} to in their home
   */
  give(from, to) {
    mkdirSync(dirname(to), { recursive: true })
    cpSync(from, to, { recursive: true })
    execFileSync('chown', ['--recursive', `${this.#name}:`, this.home])
  }

  /** The user's number, as /proc shows it. */
  get id() {
    return Number(execFileSync('id', ['-u', this.#name], { encoding: 'utf8' }))
  }

  /**
   * Starts the app as this user, on a screen and a bus of its own, with nothing of our environment.
   *
   * @param {readonly string[]} args
   * @param {Readonly<Record<string, string>>} [more] of its environment
   * @param {string} [program] another than the installed one
   * @returns {import('node:child_process').ChildProcess} its output is piped
   */
  startApp(args, more = {}, program = 'traffic-desk') {
    const desktop = ['xvfb-run', '-a', 'dbus-run-session', '--', 'sh', '-c', session, 'sh', program, ...args]
    this.#app = start('runuser', ['-u', this.#name, '--', ...desktop], {
      stdio: ['ignore', 'pipe', 'pipe'],
      cwd: '/',
      env: this.#environment(more),
    })
    return this.#app
  }

  /**
   * Runs a command as this user where there is no screen.
   *
   * @param {readonly string[]} command
   * @param {Readonly<Record<string, string>>} [more] of its environment
   */
  runWithoutScreen(command, more = {}) {
    const env = this.#environment(more)
    const { status, stdout } = spawnSync('runuser', ['-u', this.#name, '--', ...command], {
      ...{ cwd: '/', env, encoding: 'utf8', timeout: 30_000 },
    })
    return { code: status, said: stdout }
  }

  /** @param {Readonly<Record<string, string>>} more */
  #environment(more) {
    return {
      HOME: this.home,
      USER: this.#name,
      PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
      LANG: 'C.UTF-8',
      KEYRING_KEY: this.#keyringKey,
      [mark]: this.#session,
      ...more,
    }
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
