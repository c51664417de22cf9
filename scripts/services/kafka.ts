// Kafka: the brokers named in PAGE_FETCHER_KAFKA_BOOTSTRAP_SERVERS, Apache's jars by Maven on the Java that is here, else
// Docker. One started here is a single node that keeps its own metadata (KRaft), small, with topics made on first use.

import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { messageOf } from '../../src/platform/errors.ts';
import { cacheDirectory } from './cache-directory.ts';
import {
  freePorts,
  hasImage,
  outputOf,
  type Program,
  pullImage,
  RunningServer,
  runToEnd,
  temporaryDirectory,
} from './running-server.ts';
import type { Ensured, Server, ServerSettings } from './service.ts';

const VERSION = '4.3.1';
const IMAGE = `apache/kafka:${VERSION}`;
const HEAP = ['-Xms128m', '-Xmx384m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];
const run = promisify(execFile);

export const kafka: Server = {
  name: 'kafka',
  given: () => process.env.PAGE_FETCHER_KAFKA_BOOTSTRAP_SERVERS || undefined,
  async find() {
    const program = await findProgram();
    if (program === undefined)
      return missing(`Neither the jars of Kafka ${VERSION} with a Java nor its image are here.`);
    const facts = program.kind === 'native' ? { path: jarDirectory() } : { image: program.image };
    return { kind: 'ready', facts };
  },
  async ensure() {
    const servers = kafka.given();
    if (servers !== undefined) return { kind: 'ready', facts: { servers } };
    const found = await kafka.find();
    if (found.kind === 'ready') return found;
    const obstacle = await fetchJars();
    if (obstacle === undefined) return kafka.find();
    const noImage = await pullImage(IMAGE);
    return noImage === undefined ? kafka.find() : missing(`${found.reason} ${obstacle} ${noImage}`);
  },
  async start(settings = {}) {
    const program = await findProgram();
    if (program === undefined) throw new Error('Kafka cannot be started: node scripts/services.ts ensure kafka');
    return RunningServer.start(async () => {
      const [port = 0, controllerPort = 0] = await freePorts(2);
      const directory = await temporaryDirectory('kafka');
      const file = join(directory, 'server.properties');
      await writeFile(file, properties(port, controllerPort, directory, settings));
      const clusterId = Buffer.from(randomUUID().replaceAll('-', ''), 'hex').toString('base64url');
      // In one word with its option: one id of 64 begins with a hyphen, and would be taken for another option.
      const formatting = ['kafka.tools.StorageTool', 'format', `--cluster-id=${clusterId}`, '-c', file];
      const format = { ...program, command: [...program.command, ...formatting] };
      await runToEnd({ name: 'kafka', directory, program: format });
      return {
        name: 'kafka',
        port,
        directory,
        address: `127.0.0.1:${port}`,
        program: { ...program, command: [...program.command, 'kafka.Kafka', file] },
        ready: async (output) => output.includes('Kafka Server started'),
      };
    });
  },
};

function jarDirectory(): string {
  return join(cacheDirectory(), `kafka-${VERSION}`);
}

async function findProgram(): Promise<Program | undefined> {
  const jars = await readdir(jarDirectory()).catch(() => []);
  if (jars.length > 0 && (await outputOf('java', ['-version'])) !== undefined) {
    return { kind: 'native', command: ['java', ...HEAP, '-cp', join(jarDirectory(), '*')] };
  }
  if (!(await hasImage(IMAGE))) return undefined;
  return { kind: 'container', image: IMAGE, command: ['java', ...HEAP, '-cp', '/opt/kafka/libs/*'] };
}

/** Gives the reason when it cannot be done. The directory appears only when it is whole. */
async function fetchJars(): Promise<string | undefined> {
  if ((await outputOf('java', ['-version'])) === undefined) return 'There is no Java.';
  const target = jarDirectory();
  await mkdir(join(target, '..'), { recursive: true });
  const work = await mkdtemp(`${target}-`);
  try {
    await writeFile(join(work, 'pom.xml'), pom());
    const goal = 'org.apache.maven.plugins:maven-dependency-plugin:copy-dependencies';
    await run('mvn', ['-B', '-q', '-f', work, goal, `-DoutputDirectory=${join(work, 'jars')}`]);
    await rename(join(work, 'jars'), target);
    return undefined;
  } catch (error) {
    return `Maven failed: ${messageOf(error).trim()}`;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function pom(): string {
  const dependency = (group: string, artifact: string, version: string) =>
    `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`;
  return `<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>curlew</groupId><artifactId>kafka</artifactId><version>1</version>
  <dependencies>
    ${dependency('org.apache.kafka', 'kafka_2.13', VERSION)}
    ${dependency('org.slf4j', 'slf4j-simple', '1.7.36')}
  </dependencies>
</project>
`;
}

function properties(port: number, controllerPort: number, directory: string, settings: ServerSettings): string {
  const all = {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
    'controller.listener.names': 'CONTROLLER',
    listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    'log.dirs': join(directory, 'data'),
    'auto.create.topics.enable': true,
    'num.partitions': 3,
    'offsets.topic.replication.factor': 1,
    'offsets.topic.num.partitions': 1,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.num.partitions': 1,
    'transaction.state.log.min.isr': 1,
    'group.initial.rebalance.delay.ms': 0,
    // A broker that was killed may come back once its former self is known to be gone; the default is 9 s.
    'broker.heartbeat.interval.ms': 500,
    'broker.session.timeout.ms': 2_000,
    ...settings,
  };
  return Object.entries(all)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

function missing(reason: string): Extract<Ensured, { kind: 'missing' }> {
  return { kind: 'missing', reason };
}
