import { describeClient } from './client-conformance.ts';

describeClient('http');
