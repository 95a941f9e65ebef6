//! Modes to a picture: boxes in columns by the number of steps that lead to them, and arrows between them.

use std::cmp::Ordering;

use super::Modes;
use crate::report::html::{escaped, put};

const LINE: usize = 16;
const GAP: (usize, usize) = (70, 26);
const MARGIN: usize = 40;

/// A mode in the picture.
#[derive(Clone, Copy)]
struct Spot {
    layer: usize,
    x: usize,
    y: usize,
    width: usize,
    height: usize,
}

impl Modes {
    /// The picture: modes in columns by the number of steps that lead to them.
    pub fn draw(&self) -> String {
        let (spots, width, height) = self.layout();
        let mut out = String::new();
        put!(
            &mut out,
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Modes\"><svg class=\"modes\" width=\"{width}\" \
             height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\"><title>Modes and the steps between them</title>\
             <defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">\
             <path d=\"M0 0L8 4L0 8z\"/></marker></defs>"
        );
        for (from, to, inputs) in &self.steps {
            let way = way(spots[*from], spots[*to], height);
            put!(
                &mut out,
                "<path class=\"step\" d=\"{way}\" marker-end=\"url(#tip)\"><title>{}</title></path>",
                escaped(inputs)
            );
        }
        for (number, (spot, lines)) in spots.iter().zip(&self.names).enumerate() {
            let class = if self.starts.contains(&number) { "mode start" } else { "mode" };
            let Spot { x, y, width, height, .. } = spot;
            put!(
                &mut out,
                "<g class=\"{class}\"><rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"8\"/>"
            );
            for (place, line) in lines.iter().enumerate() {
                let (middle, base) = (x + width / 2, y + 8 + LINE * place + LINE * 3 / 4);
                put!(&mut out, "<text x=\"{middle}\" y=\"{base}\" text-anchor=\"middle\">{}</text>", escaped(line));
            }
            out.push_str("</g>");
        }
        out + "</svg></div>"
    }

    /// Where each mode stands, and how large the picture is.
    fn layout(&self) -> (Vec<Spot>, usize, usize) {
        let mut layers: Vec<Vec<usize>> = vec![self.starts.clone()];
        let mut placed = self.starts.clone();
        while placed.len() < self.names.len() {
            let last = layers.last().cloned().unwrap_or_default();
            let mut layer = vec![];
            for (_, to, _) in self.steps.iter().filter(|step| last.contains(&step.0)) {
                if !placed.contains(to) {
                    placed.push(*to);
                    layer.push(*to);
                }
            }
            if layer.is_empty() {
                break;
            }
            layers.push(layer);
        }
        let mut spots = vec![Spot { layer: 0, x: 0, y: 0, width: 0, height: 0 }; self.names.len()];
        let of = |mode: usize| {
            let longest = self.names[mode].iter().map(|line| line.chars().count()).max().unwrap_or(0);
            (longest * 8 + 20, self.names[mode].len() * LINE + 14)
        };
        let heights = layers.iter().map(|layer| layer.iter().map(|&mode| of(mode).1 + GAP.1).sum::<usize>());
        let tallest = heights.clone().max().unwrap_or(0);
        let mut x = MARGIN;
        for ((number, layer), height) in layers.iter().enumerate().zip(heights) {
            let mut y = MARGIN + (tallest - height) / 2;
            for &mode in layer {
                let (width, height) = of(mode);
                spots[mode] = Spot { layer: number, x, y, width, height };
                y += height + GAP.1;
            }
            x += layer.iter().map(|&mode| of(mode).0).max().unwrap_or(0) + GAP.0;
        }
        (spots, x, tallest + 2 * MARGIN)
    }
}

/// The line of a step: forward from side to side, back along the bottom, and to itself above.
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
