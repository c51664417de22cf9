import { render } from 'preact';
import 'uplot/dist/uPlot.min.css';
import './styles/index.css';
import { App } from './app.tsx';

const root = document.getElementById('app');
if (root !== null) render(<App />, root);
