//! A graph to a picture: boxes in columns by the number of edges that lead to them, and arrows between them.

use std::cmp::Ordering;

use super::html::{escaped, put};

const LINE: usize = 16;
const GAP: (usize, usize) = (70, 26);
const MARGIN: usize = 40;

/// The contents of a drawing.
#[derive(Debug, Default)]
pub struct Graph {
    pub nodes: Vec<Node>,
    /// The nodes of the first column.
    pub starts: Vec<usize>,
    /// From, to, and label.
    pub edges: Vec<(usize, usize, String)>,
}

#[derive(Debug)]
pub struct Node {
    pub lines: Vec<String>,
    /// Classes for the style of the page.
    pub class: &'static str,
}

/// A node in the picture.
#[derive(Clone, Copy)]
struct Spot {
    layer: usize,
    x: usize,
    y: usize,
    width: usize,
    height: usize,
}

/// The style of a picture that is no part of a page.
const STYLE: &str = "text{font:12px monospace;fill:#222}.mode rect{fill:#f6f8fa;stroke:#57606a}.mode.start rect{stroke-width:2.5}\
.mode.cut rect{stroke:#0550ae;stroke-width:2.5}.mode.error rect{fill:#ffebe9;stroke:#a40e26}.step{fill:none;stroke:#57606a}\
.label{font-size:10px;fill:#57606a}#tip path{fill:#57606a}";

impl Graph {
    /// A file of its own, with the labels of edges.
    pub fn to_svg(&self, title: &str) -> String {
        let (spots, width, height) = self.layout();
        let mut out = String::new();
        put!(
            &mut out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\
             <style>{STYLE}</style><title>{}</title>",
            escaped(title)
        );
        self.put_parts(&mut out, &spots, height);
        for (from, to, text) in self.edges.iter().filter(|edge| !edge.2.is_empty()) {
            let (from, to) = (spots[*from], spots[*to]);
            let is_forward = from.layer < to.layer;
            let x = if is_forward { from.x + from.width + 6 } else { from.x + from.width / 2 };
            // Beside the line, on the side that it leaves to.
            let above = from.y + from.height / 2 - 4;
            let y = match (is_forward, to.y + to.height / 2 > from.y + from.height / 2) {
                (true, false) => above,
                (true, true) => above + LINE,
                (false, _) => from.y + from.height + LINE,
            };
            put!(&mut out, "<text class=\"label\" x=\"{x}\" y=\"{y}\">{}</text>", escaped(text));
        }
        out + "</svg>\n"
    }

    /// A part of a page, with the labels of edges as tooltips.
    pub fn draw(&self, class: &str, title: &str) -> String {
        let (spots, width, height) = self.layout();
        let mut out = String::new();
        put!(
            &mut out,
            "<svg class=\"{class}\" width=\"{width}\" \
             height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\"><title>{title}</title>"
        );
        self.put_parts(&mut out, &spots, height);
        out + "</svg>"
    }

    fn put_parts(&self, out: &mut String, spots: &[Spot], height: usize) {
        out.push_str(
            "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">\
             <path d=\"M0 0L8 4L0 8z\"/></marker></defs>",
        );
        for (from, to, text) in &self.edges {
            let way = way(spots[*from], spots[*to], height);
            put!(
                out,
                "<path class=\"step\" d=\"{way}\" marker-end=\"url(#tip)\"><title>{}</title></path>",
                escaped(text)
            );
        }
        for (spot, Node { lines, class }) in spots.iter().zip(&self.nodes) {
            let Spot { x, y, width, height, .. } = spot;
            put!(
                out,
                "<g class=\"{class}\"><rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"8\"/>"
            );
            for (place, line) in lines.iter().enumerate() {
                let (middle, base) = (x + width / 2, y + 8 + LINE * place + LINE * 3 / 4);
                put!(out, "<text x=\"{middle}\" y=\"{base}\" text-anchor=\"middle\">{}</text>", escaped(line));
            }
            out.push_str("</g>");
        }
    }

    /// Where each node stands, and how large the picture is.
    fn layout(&self) -> (Vec<Spot>, usize, usize) {
        let layers = self.layers();
        let mut spots = vec![Spot { layer: 0, x: 0, y: 0, width: 0, height: 0 }; self.nodes.len()];
        let of = |node: usize| {
            let longest = self.nodes[node].lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
            (longest * 8 + 20, self.nodes[node].lines.len() * LINE + 14)
        };
        let heights = layers.iter().map(|layer| layer.iter().map(|&node| of(node).1 + GAP.1).sum::<usize>());
        let tallest = heights.clone().max().unwrap_or(0);
        let mut x = MARGIN;
        for ((number, layer), height) in layers.iter().enumerate().zip(heights) {
            let mut y = MARGIN + (tallest - height) / 2;
            for &node in layer {
                let (width, height) = of(node);
                spots[node] = Spot { layer: number, x, y, width, height };
                y += height + GAP.1;
            }
            x += layer.iter().map(|&node| of(node).0).max().unwrap_or(0) + GAP.0;
        }
        (spots, x, tallest + 2 * MARGIN)
    }

    /// The nodes by how many edges lead to them from the first ones.
    fn layers(&self) -> Vec<Vec<usize>> {
        let mut next: Vec<Vec<usize>> = vec![vec![]; self.nodes.len()];
        self.edges.iter().for_each(|(from, to, _)| next[*from].push(*to));
        let mut is_placed = vec![false; self.nodes.len()];
        let mut layers: Vec<Vec<usize>> = vec![];
        let mut layer = self.starts.clone();
        layer.iter().for_each(|&node| is_placed[node] = true);
        while !layer.is_empty() {
            let mut behind = vec![];
            for &to in layer.iter().flat_map(|&from| &next[from]) {
                if !std::mem::replace(&mut is_placed[to], true) {
                    behind.push(to);
                }
            }
            layers.push(std::mem::replace(&mut layer, behind));
        }
        layers
    }
}

/// The line of an edge: forward from side to side, back along the bottom, and to itself above.
fn way(from: Spot, to: Spot, height: usize) -> String {
    let middle = |spot: Spot| (spot.x + spot.width / 2, spot.y + spot.height / 2);
    let ((from_x, from_y), (to_x, to_y)) = (middle(from), middle(to));
    match from.layer.cmp(&to.layer) {
        Ordering::Less => {
            let (right, bend) = (from.x + from.width, (from.x + from.width + to.x) / 2);
            format!("M{right} {from_y}C{bend} {from_y} {bend} {to_y} {} {to_y}", to.x)
        }
        Ordering::Equal if (from.x, from.y) == (to.x, to.y) => {
            let (left, right, top) = (from_x - 10, from_x + 10, from.y);
            format!("M{left} {top}C{left} {} {right} {} {right} {top}", top - 24, top - 24)
        }
        Ordering::Equal if from_y < to_y => {
            let out = to_x.max(from_x) + from.width.max(to.width) / 2 + 24;
            format!("M{} {from_y}C{out} {from_y} {out} {to_y} {} {to_y}", from.x + from.width, to.x + to.width)
        }
        Ordering::Equal => {
            let out = to.x.min(from.x) - 24;
            format!("M{} {from_y}C{out} {from_y} {out} {to_y} {} {to_y}", from.x, to.x)
        }
        Ordering::Greater => {
            let low = (from.y + from.height).max(to.y + to.height) + 20 + 6 * (from.layer - to.layer);
            let low = low.min(height);
            format!("M{from_x} {}C{from_x} {low} {to_x} {low} {to_x} {}", from.y + from.height, to.y + to.height)
        }
    }
}
