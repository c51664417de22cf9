import { chromiumOrSkip } from '../fixtures/services.ts';
import { describeClient } from './client-conformance.ts';

await chromiumOrSkip();

describeClient('browser');
