//! Draws measured times over the sizes of files, both by powers of ten: what costs the same at each size is level.

use std::path::Path;

use anyhow::{Result, anyhow, ensure};
use plotters::prelude::*;

use super::Point;

/// How one of a point's times is read.
type Read = fn(&Point) -> f64;

/// What is drawn of each server: its name in the legend, and how it is read of a point.
const CURVES: [(&str, Read); 3] = [
    ("opened, to diagnostics", |point| point.open),
    ("edited, to diagnostics", |point| point.edit),
    ("edited, to hover", |point| point.hover),
];

/// One colour per curve; those of a peer are drawn lighter.
const COLOURS: [RGBColor; 3] = [RGBColor(0x1b, 0x6c, 0xa8), RGBColor(0xc2, 0x4d, 0x2c), RGBColor(0x3a, 0x8f, 0x4f)];

const SIZE: (u32, u32) = (860, 520);

/// Writes the drawing of all points as SVG.
pub(super) fn write(file: &Path, points: &[Point]) -> Result<()> {
    let lines = points.iter().map(|point| point.lines as f64);
    let times = points.iter().flat_map(|point| CURVES.map(|(_, read)| read(point)));
    let (Some((least, most)), Some((fastest, slowest))) = (range(lines), range(times)) else {
        return Err(anyhow!("nothing was measured"));
    };
    ensure!(least < most, "a drawing needs more than one size");
    draw(file, points, least..most, fastest / 2.0..slowest * 2.0)
        .map_err(|error| anyhow!("{}: {error}", file.display()))
}

/// The least and the largest number.
fn range(numbers: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    numbers.fold(None, |range, number| match range {
        None => Some((number, number)),
        Some((least, most)) => Some((f64::min(least, number), f64::max(most, number))),
    })
}

fn draw(
    file: &Path,
    points: &[Point],
    lines: std::ops::Range<f64>,
    times: std::ops::Range<f64>,
) -> Result<(), Box<dyn std::error::Error>> {
    let area = SVGBackend::new(file, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .margin(16)
        .x_label_area_size(44)
        .y_label_area_size(64)
        .build_cartesian_2d(lines.log_scale(), times.log_scale())?;
    chart
        .configure_mesh()
        .x_desc("lines of the file")
        .y_desc("milliseconds")
        .x_label_formatter(&|lines| format!("{lines:.0}"))
        .y_label_formatter(&|time| format!("{time}"))
        .light_line_style(WHITE)
        .draw()?;
    // All servers were measured at each size, in one order.
    let first = points.first().map(|point| point.lines);
    let servers = points.iter().filter(|point| Some(point.lines) == first).map(|point| point.server.as_str());
    for (number, server) in servers.enumerate() {
        for ((name, read), colour) in CURVES.iter().zip(COLOURS) {
            let style = if number == 0 { colour.stroke_width(3) } else { colour.mix(0.45).stroke_width(2) };
            let of_server = points.iter().filter(|point| point.server == server);
            let curve: Vec<(f64, f64)> = of_server.map(|point| (point.lines as f64, read(point))).collect();
            chart.draw_series(curve.iter().map(|&at| Circle::new(at, 3, style.filled())))?;
            chart
                .draw_series(LineSeries::new(curve, style))?
                .label(format!("{server}: {name}"))
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], style));
        }
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.85))
        .border_style(BLACK.mix(0.3))
        .draw()?;
    area.present()?;
    Ok(())
}
